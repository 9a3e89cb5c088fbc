import { keepSession } from "./session.ts";

/** What the redirect file opens: gives the secret behind `#` back for a cookie and what this origin keeps, and goes on to the page. */
async function enter(): Promise<string | undefined> {
  const secret = location.hash.slice(1);
  // Out of the address, and so out of what is kept of it.
  history.replaceState(null, "", "/enter");
  if (secret === "") return "Open this page with: assent open";
  const response = await fetch("/enter/in", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ secret }),
  });
  if (!response.ok) return "This link was used before, or is older than a minute. Open the page again with: assent open";
  keepSession(await response.json());
  location.replace("/");
  return undefined;
}

const tell = (text: string): void => {
  const told = document.getElementById("told");
  if (told !== null) told.textContent = text;
};

enter().then(
  (problem) => problem !== undefined && tell(problem),
  () => tell("Assent does not answer. Open the page again with: assent open"),
);
