// Entry of dist/confiner.cjs, which the hook loads when a command is to go ahead confined.
export { confine } from "@assent/hosts/agents/install";
