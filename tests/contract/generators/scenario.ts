// What every generated client must do: list, create, update and delete posts, pages and items.
declare const process: { argv: string[] };

/** The calls of one generated client. Reads answer null where there is nothing (404). */
export interface Calls {
  posts(): Promise<string[]>;
  createPost(slug: string): Promise<unknown>;
  changePost(slug: string, title: string): Promise<unknown>;
  post(slug: string): Promise<string | null>;
  deletePost(slug: string): Promise<unknown>;
  createPage(slug: string, headline: string): Promise<unknown>;
  changePage(slug: string, intro: string): Promise<unknown>;
  page(slug: string): Promise<{ headline: string; intro: string } | null>;
  deletePage(slug: string): Promise<unknown>;
  createItem(name: string): Promise<unknown>;
  items(): Promise<{ id: number; name: string }[]>;
  changeItem(id: number, casks: number): Promise<unknown>;
  item(id: number): Promise<{ name: string; casks: number | null } | null>;
  deleteItem(id: number): Promise<unknown>;
}

export const base = process.argv[2] ?? "";
export const token = `Token ${process.argv[3] ?? ""}`;

/** Ask until the answer is the wished one: accepted writes are carried out moments later. */
async function until<T>(ask: () => Promise<T>, holds: (found: T) => boolean): Promise<T> {
  const deadline = Date.now() + 60_000;
  while (true) {
    const found = await ask();
    if (holds(found)) return found;
    if (Date.now() > deadline) throw new Error(`still ${JSON.stringify(found)}`);
    await new Promise((wake) => setTimeout(wake, 50));
  }
}

export async function run(name: string, calls: Calls): Promise<void> {
  await calls.createPost(name);
  await until(calls.posts, (slugs) => slugs.includes(name));
  await calls.changePost(name, "Changed");
  await until(() => calls.post(name), (title) => title === "Changed");
  await calls.deletePost(name);
  const lostPost = await calls.post(name);

  await calls.createPage(name, "Sent");
  await until(() => calls.page(name), (page) => page?.headline === "Sent");
  await calls.changePage(name, "Patched");
  const page = await until(() => calls.page(name), (found) => found?.intro === "Patched");
  await calls.deletePage(name);
  const lostPage = await calls.page(name);

  await calls.createItem(name);
  const items = await until(calls.items, (found) => found.some((each) => each.name === name));
  const id = items.find((each) => each.name === name)!.id;
  await calls.changeItem(id, 7);
  const item = await until(() => calls.item(id), (found) => found?.casks === 7);
  await calls.deleteItem(id);
  const lostItem = await calls.item(id);
  console.log(JSON.stringify({ page, item, lost: [lostPost, lostPage, lostItem] }));
}
