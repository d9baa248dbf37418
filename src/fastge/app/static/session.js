// The connection to the server: one image, its strokes, and the answers.

const HEADER = 4;
const FIRST_WAIT = 400;
const LONGEST_WAIT = 5000;
const GONE = 4404;
const REFUSED = 4429;

export class ServerError extends Error {}

export async function ask(address, options = {}) {
  let answer;
  try {
    answer = await fetch(address, options);
  } catch {
    throw new ServerError("The server cannot be reached. Is fastge paint still running?");
  }
  if (answer.ok) return answer;
  if (answer.status === 403) {
    throw new ServerError("The server was started anew. Open the address that it printed.");
  }
  const problem = await answer.json().catch(() => ({}));
  throw new ServerError(problem.error ?? `The server answered ${answer.status}.`);
}

export async function openImage(file) {
  const address = `/api/images?name=${encodeURIComponent(file.name || "image")}`;
  const type = { "Content-Type": "application/octet-stream" };
  return (await ask(address, { method: "POST", body: file, headers: type })).json();
}

async function unpack(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, HEADER, length)));
  const packed = new Blob([new Uint8Array(buffer, HEADER + length)]);
  const stream = packed.stream().pipeThrough(new DecompressionStream("deflate"));
  return { ...header, labels: new Uint8Array(await new Response(stream).arrayBuffer()) };
}

// `hear` gets every message, in order; unsent messages wait for the next connection.
export class Session {
  constructor(key, hear) {
    this.key = key;
    this.hear = hear;
    this.wait = FIRST_WAIT;
    this.unsent = [];
    this.queue = Promise.resolve();
    this.connect();
  }

  address(what) {
    return `/api/sessions/${encodeURIComponent(this.key)}${what ? `/${what}` : ""}`;
  }

  connect() {
    const protocol = location.protocol === "https:" ? "wss:" : "ws:";
    this.socket = new WebSocket(`${protocol}//${location.host}${this.address("paint")}`);
    this.socket.binaryType = "arraybuffer";
    this.socket.onopen = () => {
      this.wait = FIRST_WAIT;
      for (const message of this.unsent.splice(0)) this.send(message);
    };
    this.socket.onmessage = ({ data }) => {
      this.queue = this.queue
        .then(() => (typeof data === "string" ? JSON.parse(data) : unpack(data)))
        .then((message) => this.isClosed || this.hear(message))
        .catch((cause) => console.error(cause));
    };
    this.socket.onclose = ({ code, reason }) => this.lost(code, reason);
  }

  lost(code, reason) {
    if (this.isClosed) return;
    if (code === GONE || code === REFUSED) {
      this.hear({ type: "gone", message: reason });
      return;
    }
    this.hear({ type: "lost", isLong: this.wait === LONGEST_WAIT });
    setTimeout(() => this.isClosed || this.connect(), this.wait);
    this.wait = Math.min(LONGEST_WAIT, 2 * this.wait);
  }

  send(message) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
    else if (message.type !== "draft") this.unsent.push(message);
  }

  close() {
    this.isClosed = true;
    this.socket.close();
  }
}
