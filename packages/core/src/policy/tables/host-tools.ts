/**
 * Tools of the hosts that are judged by what they do, by the rule that means them: a rule of the tool's own name would guard
 * nothing. Written by `npm run generate` from the agents' own files.
 */
import { listed } from "./listed.ts";

export const HOST_TOOLS: Readonly<Record<string, readonly string[]>> = {
  Bash: /* @__PURE__ */ listed(
    "Execute; Monitor; async_shell_command; background_process; bash; executeBash; execute_bash; execute_command; monitor",
    "monitor_command; pre_run_command; runInTerminal; run_commands; run_in_terminal; run_shell_command; shell; shell_command",
  ),
  Edit: /* @__PURE__ */ listed(
    "ApplyPatch; Create; apply_patch; create; createFile; create_directory; create_file; delete; delete_file; edit; editFiles",
    "edit_file; edit_notebook_file; editor; fsWrite; fs_write; insert_edit_into_file; multi_replace_string_in_file; multiedit",
    "notebook_edit; patch; pre_write_code; replace; replace_in_file; replace_string_in_file; strReplace; undo_edit; write; write_file",
    "write_to_file",
  ),
  List: /* @__PURE__ */ listed("file_search; find; glob; list; list_dir; list_directory; list_files; ls; read_directory"),
  Read: /* @__PURE__ */ listed(
    "LSP; ReadMediaFile; fsRead; fs_read; get_diagnostics; grep; grep_search; list_code_definition_names; pre_read_code; read",
    "readFile; read_file; read_files; read_many_files; read_multiple_files; rg; search; search_codebase; search_file_content",
    "search_files; semantic_search; view; view_image; zoom_image",
  ),
  WebFetch: /* @__PURE__ */ listed("FetchURL; FetchUrl; fetch; fetch_web_content; fetch_webpage; read_web_page; web_fetch; webfetch"),
};
