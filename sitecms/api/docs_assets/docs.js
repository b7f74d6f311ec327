// Shows /v2/openapi.json and lets people try requests. The token stays in its field: it is never stored, and
// travels in the header only. Everything is put in as text, never as HTML.

const BASE = new URL(".", location.href).href.replace(/\/$/, "");
const MASKED = "Authorization: Token ****";
const MAX_SHOWN = 200_000;
const token = document.getElementById("token");
let spec;

/** An element with attributes and children; texts become text nodes. */
function el(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) if (value !== undefined) element.setAttribute(key, value);
  element.append(...children.flat(Infinity).filter(child => child !== undefined && child !== ""));
  return element;
}

/** What a $ref leads to. */
function resolve(thing) {
  return thing?.$ref ? thing.$ref.slice(2).split("/").reduce((found, key) => found[key], spec) : thing;
}

const schemaName = schema => schema.$ref?.split("/").pop();

/** `code` and **strong** in one line of text. */
function inline(text) {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map(part => {
    if (part.length > 2 && part.startsWith("`")) return el("code", {}, part.slice(1, -1));
    if (part.length > 4 && part.startsWith("**")) return el("strong", {}, part.slice(2, -2));
    return part;
  });
}

/** Paragraphs and lists. */
function prose(text, className) {
  const blocks = text.split(/\n\n+/).map(block =>
    block.startsWith("- ")
      ? el("ul", {}, block.slice(2).split(/\n- /).map(item => el("li", {}, inline(item))))
      : el("p", {}, inline(block)));
  return el("div", { class: className }, blocks);
}

/** JSON as coloured text. */
function json(value) {
  const pre = el("pre", { tabindex: "0" });
  const text = JSON.stringify(value, null, 2);
  if (text.length > MAX_SHOWN) return el("pre", { tabindex: "0" }, cut(text));
  let end = 0;
  for (const found of text.matchAll(/("(?:[^"\\]|\\.)*")(\s*:)?|\b(true|false|null)\b|-?\d[\d.eE+-]*/g)) {
    pre.append(text.slice(end, found.index));
    const kind = found[2] ? "key" : found[1] ? "text" : found[3] ? "word" : "number";
    pre.append(el("span", { class: kind }, found[1] ?? found[0]), found[2] ?? "");
    end = found.index + found[0].length;
  }
  pre.append(text.slice(end));
  return pre;
}

const cut = text => text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}\n… ${text.length - MAX_SHOWN} characters more` : text;

const choicesOf = schema => schema.anyOf ?? schema.oneOf ?? [];

/** A schema's type in words, with links to named schemas. */
function typeOf(schema) {
  if (schema === true) return ["anything"];
  if (schema.$ref) return [el("a", { href: `#schema-${schemaName(schema)}` }, schemaName(schema))];
  const choices = choicesOf(schema);
  if (choices.length) {
    const named = choices.filter((each, number) => !each.properties || number === choices.findIndex(one => one.properties));
    return named.flatMap((each, number) => number ? [" or ", ...typeOf(each)] : typeOf(each));
  }
  if (schema.type === "array") return ["list of ", ...typeOf(schema.items)];
  if (schema.enum) return [schema.enum.map(value => JSON.stringify(value)).join(" or ")];
  if (schema.maxProperties === 0) return ["{}"];
  if (schema.additionalProperties) return ["object of ", ...typeOf(schema.additionalProperties)];
  return [[schema.type ?? "anything"].flat().join(" or ")];
}

/** The objects with keys of their own that a schema holds without naming them. */
function inner(schema) {
  if (schema.properties) return [schema];
  if (schema.items) return inner(schema.items);
  return choicesOf(schema).flatMap(inner);
}

/** The keys of an object, and those of the objects inside. */
function properties(schema) {
  return el("dl", { class: "rows" }, Object.entries(schema.properties).map(([name, each]) => {
    const described = each.description ?? resolve(each).description ?? "";
    const optional = !schema.required?.includes(name);
    const nested = inner(each).map(object => el("dd", { class: "nested" }, properties(object)));
    return el("div", {},
      el("dt", {}, el("code", {}, name), el("span", { class: "type" }, typeOf(each), limits(each), optional ? ", may be left out" : "")),
      el("dd", {}, inline(described)), nested);
  }));
}

function schemaBody(schema) {
  const found = inner(schema);
  return found.length ? found.map(properties) : el("p", {}, typeOf(schema));
}

function limits(schema) {
  const parts = [];
  if (schema.minimum !== undefined && schema.maximum > 1e6) parts.push(`from ${schema.minimum}`);
  else if (schema.minimum !== undefined) parts.push(`${schema.minimum} to ${schema.maximum}`);
  if (schema.maxLength) parts.push(`at most ${schema.maxLength} characters`);
  if (schema.default !== undefined) parts.push(`default ${schema.default}`);
  return parts.length ? `, ${parts.join(", ")}` : "";
}

function parameterRows(parameters) {
  return el("dl", { class: "rows" }, parameters.map(each => el("div", {},
    el("dt", {},
      el("code", {}, each.style === "form" ? `${each.name}.<name>` : each.name),
      el("span", { class: "type" }, each.style === "form" ? "text" : typeOf(each.schema), `${limits(each.schema)}, in ${each.in}`),
      each.required ? el("span", { class: "must" }, "required") : ""),
    el("dd", {}, inline(each.description)))));
}

/** The statuses other than success, with what they may say. */
function errorRows(responses) {
  const rows = Object.entries(responses).filter(([status]) => status >= "300").map(([status, reference]) => {
    const answer = resolve(reference);
    const examples = Object.values(answer.content?.["application/json"]?.examples ?? {});
    const causes = examples.map(example => el("li", {}, el("code", {}, JSON.stringify(example.value))));
    return el("div", {}, el("dt", {}, el("code", {}, status)),
      el("dd", {}, inline(answer.description), causes.length ? el("ul", { class: "causes" }, causes) : ""));
  });
  return rows.length ? [el("h4", {}, "Other answers"), el("dl", { class: "rows errors" }, rows)] : [];
}

function success(status, answer) {
  const [type, media] = Object.entries(answer.content ?? {})[0] ?? [];
  return [
    el("h4", {}, `Answer ${status}`, type ? `: ${type}` : ""),
    media?.schema ? schemaBody(media.schema) : el("p", {}, answer.description),
    ...("example" in (media ?? {}) ? [el("h4", {}, "Example"), json(media.example)] : []),
  ];
}

/** What a write takes. */
function requestBody(body) {
  if (!body) return [];
  const { schema } = body.content["application/json"];
  return [el("h4", {}, "Body: ", schemaName(schema)), schemaBody(resolve(schema))];
}

/** All of one endpoint; made when it is first opened. */
function operationBody(method, path, operation) {
  const parameters = (operation.parameters ?? []).map(resolve);
  return [
    prose(operation.description, "description"),
    ...(parameters.length ? [el("h4", {}, "Parameters"), parameterRows(parameters)] : []),
    ...requestBody(operation.requestBody),
    ...Object.entries(operation.responses).filter(([status]) => status < "300").flatMap(([status, answer]) => success(status, resolve(answer))),
    ...errorRows(operation.responses),
    tryIt(method, path, operation, parameters.filter(each => method !== "get" || each.in !== "header")),
  ];
}

/** The field for a write's body, with one of its examples in it, and the choice among them. */
function bodyInputs(operation) {
  if (!operation.requestBody) return {};
  const examples = operation.requestBody.content["application/json"].examples ?? {};
  const id = `body-${operation.operationId}`;
  const text = el("textarea", { id, rows: "12", spellcheck: "false", autocomplete: "off" });
  const choice = el("select", { id: `${id}-example` }, Object.keys(examples).map(name => el("option", {}, name)));
  const fill = () => { text.value = choice.value ? JSON.stringify(examples[choice.value].value, null, 2) : "{}"; };
  choice.addEventListener("change", fill);
  fill();
  return { text, shown: [
    Object.keys(examples).length > 1 ? el("div", {}, el("label", { for: choice.id }, "Example"), choice) : "",
    el("div", { class: "whole" }, el("label", { for: id }, "Body (JSON)"), text)] };
}

/** A form that sends the request, and what came back. */
function tryIt(method, path, operation, parameters) {
  const secured = operation.security?.length !== 0;
  const body = bodyInputs(operation);
  const inputs = parameters.map(each => [each, control(each, operation.operationId)]);
  const command = el("pre", { class: "wrap", tabindex: "0" });
  const outcome = el("p", { class: "outcome", role: "status" });
  const result = el("div", { class: "result" });
  const button = el("button", {}, "Send");
  const fields = inputs.map(([each, input]) => el("div", {}, el("label", { for: input.id }, labelOf(each)), input));
  const form = el("form", { class: "try", "aria-label": `Try ${method.toUpperCase()} ${path}` },
    el("h4", {}, "Try it"),
    method === "get" ? "" : el("p", { class: "note" }, "This changes the content of the site; it takes a write token."),
    fields.length || body.shown ? el("div", { class: "inputs" }, fields, body.shown ?? "") : "",
    el("div", { class: "send" }, button, outcome),
    el("div", { class: "result" }, el("h5", {}, "As a command"), command), result);
  const asked = () => ({ method: method.toUpperCase(), address: addressOf(path, inputs), headers: headersOf(inputs), body: body.text?.value, secured });
  const show = () => { command.textContent = curl(asked()); };
  form.addEventListener("input", show);
  form.addEventListener("submit", async event => {
    event.preventDefault();
    if (button.getAttribute("aria-disabled") === "true") return;
    button.setAttribute("aria-disabled", "true");
    outcome.className = "outcome";
    outcome.textContent = "Sending…";
    await send(asked(), outcome, result);
    button.removeAttribute("aria-disabled");
  });
  show();
  return form;
}

const labelOf = each => each.style === "form" ? "fields.<name>=<value>, one a line" : each.required ? `${each.name} (required)` : each.name;

/** The field to type a parameter into. */
function control(each, operationId) {
  const id = `try-${operationId}-${each.name}`;
  const required = each.required ? "" : undefined;
  const choices = each.schema.enum ?? (each.schema.type === "boolean" ? [true, false] : undefined);
  if (choices) return el("select", { id, required }, each.required ? "" : el("option", { value: "" }, "–"), choices.map(value => el("option", {}, String(value))));
  if (each.style === "form") return el("textarea", { id, rows: "2", spellcheck: "false" });
  const hint = each.example ?? each.schema.examples?.[0] ?? each.schema.default;
  return el("input", { id, required, autocomplete: "off", autocapitalize: "none", spellcheck: "false", placeholder: hint, inputmode: each.schema.type === "integer" ? "numeric" : undefined });
}

/** The address that the form's values make. */
function addressOf(path, inputs) {
  const query = new URLSearchParams();
  for (const [each, input] of inputs) {
    if (each.in === "path") path = path.replace(`{${each.name}}`, input.value ? encodeURIComponent(input.value) : `{${each.name}}`);
    else if (each.style === "form") for (const line of input.value.split("\n").filter(line => line.includes("="))) {
      const name = line.slice(0, line.indexOf("=")).trim();
      query.set(name.startsWith("fields.") ? name : `fields.${name}`, line.slice(line.indexOf("=") + 1));
    }
    else if (input.value && each.in === "query") query.set(each.name, input.value);
  }
  const text = query.toString();
  return `${BASE}${path}${text ? `?${text}` : ""}`;
}

/** The headers that the form's values make. */
function headersOf(inputs) {
  return Object.fromEntries(inputs.filter(([each, input]) => each.in === "header" && input.value).map(([each, input]) => [each.name, input.value]));
}

/** The same request on a command line, without the token. */
function curl({ method, address, headers, body, secured }) {
  const quoted = text => `'${text.replaceAll("'", "'\\''")}'`;
  const lines = [...(secured ? [MASKED] : []), ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`), ...(body === undefined ? [] : ["Content-Type: application/json"])];
  const words = [...(method === "GET" ? [] : ["-X", method]), ...lines.flatMap(line => ["-H", quoted(line)])];
  return ["curl", ...words, ...(body === undefined ? [] : ["--data-raw", quoted(body)]), quoted(address)].join(" ");
}

async function send({ method, address, headers, body, secured }, outcome, result) {
  const started = performance.now();
  if (secured && token.value.trim()) headers.Authorization = `Token ${token.value.trim()}`;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  try {
    const answer = await fetch(address, { method, headers, body, cache: "no-store", credentials: "omit", referrerPolicy: "no-referrer" });
    const bytes = await answer.arrayBuffer();
    const shown = content(answer.headers.get("Content-Type") ?? "", bytes);
    outcome.className = `outcome ${answer.ok ? "good" : answer.status < 400 ? "turn" : "bad"}`;
    outcome.textContent = `${answer.status} ${answer.statusText} in ${Math.round(performance.now() - started)} ms`;
    const lines = [...answer.headers].map(([name, value]) => `${name}: ${value}`).join("\n");
    result.replaceChildren(el("h5", {}, "Headers"), el("pre", { class: "wrap", tabindex: "0" }, lines), el("h5", {}, "Body"), shown);
  } catch (error) {
    outcome.className = "outcome bad";
    outcome.textContent = `No answer: ${error.message}`;
    result.replaceChildren();
  }
}

/** A body: JSON in colours, text as it is, anything else by its size. */
function content(type, bytes) {
  if (!bytes.byteLength) return el("p", {}, "None.");
  if (!/json|^text\/|xml/.test(type)) return el("p", {}, `${bytes.byteLength} bytes of ${type || "unknown type"}`);
  const text = new TextDecoder().decode(bytes);
  if (type.includes("json")) try { return json(JSON.parse(text)); } catch { /* shown as it came */ }
  return el("pre", { class: "wrap", tabindex: "0" }, cut(text));
}

/** A box that opens, and is filled when it first does. */
function entry(id, heading, fill) {
  const details = el("details", { class: "entry", id }, el("summary", {}, heading));
  const open = () => { if (details.open && !details.querySelector(".body")) details.append(el("div", { class: "body" }, fill())); };
  details.addEventListener("toggle", open);
  details.reveal = () => { details.open = true; open(); };
  return details;
}

function operationEntry(method, path, operation) {
  const heading = el("h3", {}, el("span", { class: `method ${method}` }, method.toUpperCase()), " ", el("code", { class: "path" }, path), " ", el("span", { class: "title" }, operation.summary));
  return entry(operation.operationId, heading, () => operationBody(method, path, operation));
}

/** Opens what the address names. */
function follow() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target?.reveal) return;
  target.reveal();
  target.scrollIntoView();
  target.querySelector("summary").focus({ preventScroll: true });
}

function render() {
  const operations = Object.entries(spec.paths).flatMap(([path, item]) => Object.entries(item).map(([method, operation]) => [method, path, operation]));
  const groups = spec.tags.map(tag => [tag, operations.filter(([, , operation]) => operation.tags.includes(tag.name))]).filter(([, own]) => own.length);
  document.title = spec.info.title;
  document.getElementById("title").textContent = spec.info.title;
  document.getElementById("version").textContent = `Version ${spec.info.version} ·`;
  const links = groups.map(([tag, own]) => [el("h2", {}, tag.name), el("ul", {}, own.map(([, , operation]) =>
    el("li", {}, el("a", { href: `#${operation.operationId}` }, operation.summary))))]);
  const contents = el("details", {}, el("summary", {}, "Contents"), links.flat(), el("ul", {}, el("li", {}, el("a", { href: "#schemas" }, "Schemas"))));
  contents.open = matchMedia("(min-width: 62rem)").matches;
  document.getElementById("contents").replaceChildren(contents);
  const schemas = Object.entries(spec.components.schemas).map(([name, schema]) => entry(`schema-${name}`,
    el("h3", {}, el("code", { class: "path" }, name), " ", el("span", { class: "title" }, schema.description ?? "")), () => schemaBody(schema)));
  document.getElementById("content").replaceChildren(
    el("section", { id: "about" }, el("h2", {}, "About"), prose(spec.info.description, "about")),
    ...groups.map(([tag, own]) => el("section", {}, el("h2", {}, tag.name), el("p", { class: "lead" }, inline(tag.description)),
      own.map(([method, path, operation]) => operationEntry(method, path, operation)))),
    el("section", { id: "schemas" }, el("h2", {}, "Schemas"), el("p", { class: "lead" }, "What answers and bodies are made of, page types and collections of this site among them."), schemas));
  follow();
}

async function start() {
  try {
    const answer = await fetch(`${BASE}/v2/openapi.json`);
    if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
    spec = await answer.json();
  } catch (error) {
    document.getElementById("loading").textContent = `The document could not be loaded: ${error.message}.`;
    return;
  }
  render();
  addEventListener("hashchange", follow);
}

start();
