import { render } from "preact";
import { App } from "./app.tsx";
import { listen } from "./client.ts";

const root = document.getElementById("app");
if (root !== null) render(<App />, root);
void listen();
