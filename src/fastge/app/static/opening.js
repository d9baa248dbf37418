// Files from the chooser, dropped or pasted.

const $ = (id) => document.getElementById(id);

export function connectOpening(open, refuse) {
  for (const id of ["open", "open-too"]) $(id).addEventListener("click", () => $("chooser").click());
  $("chooser").addEventListener("change", () => {
    if ($("chooser").files.length) open($("chooser").files[0]);
    $("chooser").value = "";
  });
  document.addEventListener("dragover", (event) => {
    event.preventDefault();
    document.body.classList.add("dropping");
  });
  document.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) document.body.classList.remove("dropping");
  });
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    document.body.classList.remove("dropping");
    const [file] = event.dataTransfer.files;
    if (file) open(file);
    else refuse("That was not a file. Drop an image file.");
  });
  document.addEventListener("paste", (event) => {
    const [file] = event.clipboardData.files;
    if (file) open(file);
  });
}
