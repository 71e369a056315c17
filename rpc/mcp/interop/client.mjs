// Builds, checks and undoes a box through the MCP endpoint of a service that this
// script starts, with the official TypeScript client at its default settings:
// once over HTTP, once over `groundplan mcp` on stdio.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const root = resolve(import.meta.dirname, "../../..");
const dir = mkdtempSync(join(tmpdir(), "groundplan-mcp-"));
const program = join(dir, "groundplan");
const data = join(dir, "data");
execFileSync("go", ["build", "-o", program, "./cmd/groundplan"], { cwd: root, stdio: "inherit" });

const service = spawn(program, ["--log", "warn", "--data", data, "serve", "--listen", "127.0.0.1:0", "--bridge", "127.0.0.1:0"], {
  stdio: ["ignore", "pipe", "inherit"],
});
const [line] = await Promise.race([
  new Promise((done) => createInterface(service.stdout).once("line", (text) => done([text]))),
  new Promise((_, fail) => service.once("exit", (code) => fail(new Error(`the service ended with ${code}`)))),
]);
const ready = JSON.parse(line);
const token = JSON.parse(readFileSync(join(data, "tokens.json"), "utf8")).agent;

async function tool(client, name, args) {
  const result = await client.callTool({ name, arguments: args });
  assert.ok(!result.isError, `${name}: ${result.content[0].text}`);
  assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
  return result.structuredContent;
}

async function apply(client, plan, key) {
  const { plan_id, plan_hash } = plan;
  let operation = await tool(client, "build_apply", { plan_id, plan_hash, idempotency_key: key });
  while (["queued", "applying"].includes(operation.status)) {
    operation = await tool(client, "operation_status", { operation_id: operation.operation_id, wait_ms: 2000 });
  }
  assert.equal(operation.status, "applied");
  return operation;
}

async function build(transport, name, x) {
  const client = new Client({ name: "groundplan-interop", version: "1.0.0" });
  await client.connect(transport);
  const { tools } = await client.listTools();
  assert.ok(tools.length >= 20 && tools.length <= 24, `${tools.length} tools`);
  const context = await tool(client, "project_context", {});
  assert.equal(context.project_id, "default");
  const min = { x, y: -60, z: 0 };
  const max = { x: x + 2, y: -58, z: 2 };
  const before = await tool(client, "region_inspect", { min, max });
  const plan = await tool(client, "build_prepare", {
    recipe: { version: 1, operations: [{ type: "box", min, max, block: "minecraft:stone_bricks", hollow: true }] },
  });
  assert.equal(plan.changed_blocks, 26);
  const operation = await apply(client, plan, `${name}-build`);
  assert.equal(operation.written, 26);
  const built = await tool(client, "region_inspect", { min, max });
  assert.equal(built.palette["minecraft:stone_bricks"], 26);
  await apply(client, await tool(client, "operation_undo_prepare", { operation_id: operation.operation_id }), `${name}-undo`);
  const after = await tool(client, "region_inspect", { min, max });
  assert.deepEqual(after.palette, before.palette);
  const refused = await client.callTool({ name: "run_command", arguments: { command: "fill 0 0 0 1 1 1 stone" } });
  assert.ok(refused.isError && refused.content[0].text.includes("build_prepare"));
  await client.close();
  console.log(`${name}: ${tools.length} tools, 26 cells built and undone`);
}

try {
  const headers = { Authorization: `Bearer ${token}` };
  await build(new StreamableHTTPClientTransport(new URL(ready.mcp), { requestInit: { headers } }), "http", 0);
  await build(new StreamableHTTPClientTransport(new URL(`${ready.mcp}?token=${token}`)), "http-url-token", 8);
  await build(new StdioClientTransport({ command: program, args: ["--log", "warn", "mcp", "--data", data] }), "stdio", 16);
  console.log("3 passed, 0 failed");
} finally {
  service.kill("SIGTERM");
  await new Promise((done) => service.once("exit", done));
  rmSync(dir, { recursive: true, force: true });
}
