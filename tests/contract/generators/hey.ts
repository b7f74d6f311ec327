import * as api from "./generated";
import { client } from "./generated/client.gen";
import { base, run, token } from "./scenario";

client.setConfig({ baseUrl: base, headers: { Authorization: token } });
const status = "published";

/** The answer, or null for 404; another error ends the program. */
async function found<T>(asked: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T | null> {
  const { data, error, response } = await asked;
  if (response.ok) return data ?? null;
  if (response.status === 404) return null;
  throw new Error(JSON.stringify(error));
}

run("hey", {
  posts: async () => (await found(api.getPosts()))?.data.map((each) => each.slug) ?? [],
  createPost: (slug) => found(api.postPosts({ body: { title: "Sent", slug, status } })),
  changePost: (slug, title) => found(api.patchPostsSlug({ path: { slug }, body: { title } })),
  post: async (slug) => (await found(api.getPostsSlug({ path: { slug } })))?.data.title ?? null,
  deletePost: (slug) => found(api.deletePostsSlug({ path: { slug } })),
  createPage: (slug, headline) =>
    found(api.postPages({ body: { title: "Sent", slug, status, page_type: "news", fields: { headline } } })),
  changePage: (page_slug, intro) =>
    found(api.patchPagesPageTypePageSlug({ path: { page_type: "news", page_slug }, body: { fields: { intro } } })),
  page: async (page_slug) => {
    const fields = (await found(api.getPagesPageTypePageSlug({ path: { page_type: "news", page_slug } })))?.data.fields;
    return fields && "headline" in fields && "intro" in fields ? fields : null;
  },
  deletePage: (page_slug) => found(api.deletePagesPageTypePageSlug({ path: { page_type: "news", page_slug } })),
  createItem: (name) => found(api.postContent({ body: { key: "team", fields: [{ name }], status } })),
  items: async () =>
    ((await found(api.getContentKeys({ path: { keys: "team" } })))?.data.team ?? []).map((each) => ({ id: each.meta.id, name: each.name })),
  changeItem: (item_id, casks) =>
    found(api.patchContentKeyItemId({ path: { key: "team", item_id }, body: { fields: { casks } } })),
  item: async (item_id) => {
    const item = (await found(api.getContentKeyItemId({ path: { key: "team", item_id } })))?.data;
    return item && "casks" in item ? item : null;
  },
  deleteItem: (item_id) => found(api.deleteContentKeyItemId({ path: { key: "team", item_id } })),
});
