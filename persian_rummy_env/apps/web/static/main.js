// The page: the list of tables, or the table that the address names.
import "./dialogs.js";
import { alertUser, byId } from "./dom.js";
import { showLobby } from "./lobby.js";
import { TableView } from "./table.js";

let shown = null;
let visited = false;

function go() {
  shown?.close();
  shown = null;
  alertUser("");
  const table = location.hash.slice(1);
  byId("lobby").hidden = Boolean(table);
  byId("table").hidden = !table;
  document.title = table ? "Persian Rummy: table" : "Persian Rummy";
  if (table) shown = new TableView(table);
  else showLobby();
  if (visited) byId(table ? "heading" : "lobby-head").focus();
  visited = true;
}

for (const button of document.querySelectorAll(".leave")) button.onclick = () => { location.hash = ""; };
addEventListener("hashchange", go);
go();
