// Starts `lieder lsp` for Modelica files and lets VS Code's client talk to it.
const vscode = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");

let client;

function activate() {
  const settings = vscode.workspace.getConfiguration("lieder");
  const args = ["lsp"];
  for (const folder of settings.get("libraries")) args.push("--library", folder);
  const server = { command: settings.get("path"), args, transport: TransportKind.stdio };
  client = new LanguageClient("lieder", "Lieder", server, { documentSelector: [{ language: "modelica" }] });
  return client.start();
}

function deactivate() {
  return client && client.stop();
}

module.exports = { activate, deactivate };
