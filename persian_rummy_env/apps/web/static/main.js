// The page: the list of tables, or the table that the address names.
import { byId, alertUser } from "./dom.js";
import { showLobby } from "./lobby.js";
import { TableView } from "./table.js";

let shown = null;

function go() {
  shown?.close();
  shown = null;
  alertUser("");
  const table = location.hash.slice(1);
  byId("lobby").hidden = Boolean(table);
  byId("table").hidden = !table;
  if (table) shown = new TableView(table);
  else showLobby();
}

byId("leave").onclick = () => { location.hash = ""; };
addEventListener("hashchange", go);
go();
