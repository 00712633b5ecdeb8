// The licences of the packages of which something is in the bundle: node licences.js METAFILE
import {existsSync, readdirSync, readFileSync} from "node:fs";

const inputs = Object.keys(JSON.parse(readFileSync(process.argv[2], "utf8")).inputs);
const packages = new Set(inputs.map((path) => path.match(/^node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1]).filter(Boolean));
for (const name of [...packages].sort()) {
  const folder = `node_modules/${name}`;
  const {version, license} = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  if (!file || !existsSync(`${folder}/${file}`)) throw new Error(`${name}: no licence`);
  console.log(`${"=".repeat(80)}\n${name} ${version} (${license})\n\n${readFileSync(`${folder}/${file}`, "utf8").trim()}\n`);
}
