import * as api from "./generated";
import { base, run, token } from "./scenario";

// The functions of orval ask for paths alone: the address of the site comes from the `fetch` that they call.
const plain = globalThis.fetch;
globalThis.fetch = (path, options) => plain(`${base}${path}`, options);
const headers = { Authorization: token };
const status = "published";

/** The answer of a call that must succeed. */
async function done<A extends { status: number }>(asked: Promise<A>): Promise<A> {
  const answer = await asked;
  if (answer.status >= 400) throw new Error(JSON.stringify(answer));
  return answer;
}

run("orval", {
  posts: async () => {
    const answer = await api.getPosts({}, { headers });
    return answer.status === 200 ? answer.data.data.map((each) => each.slug) : [];
  },
  createPost: (slug) => done(api.postPosts({ title: "Sent", slug, status }, {}, { headers })),
  changePost: (slug, title) => done(api.patchPostsSlug(slug, { title }, {}, { headers })),
  post: async (slug) => {
    const answer = await api.getPostsSlug(slug, {}, { headers });
    return answer.status === 200 ? answer.data.data.title : null;
  },
  deletePost: (slug) => done(api.deletePostsSlug(slug, {}, { headers })),
  createPage: (slug, headline) =>
    done(api.postPages({ title: "Sent", slug, status, page_type: "news", fields: { headline } }, {}, { headers })),
  changePage: (slug, intro) => done(api.patchPagesPageTypePageSlug("news", slug, { fields: { intro } }, {}, { headers })),
  page: async (slug) => {
    const answer = await api.getPagesPageTypePageSlug("news", slug, {}, { headers });
    const fields = answer.status === 200 ? answer.data.data.fields : null;
    return fields && "headline" in fields && "intro" in fields ? fields : null;
  },
  deletePage: (slug) => done(api.deletePagesPageTypePageSlug("news", slug, {}, { headers })),
  createItem: (name) => done(api.postContent({ key: "team", fields: [{ name }], status }, {}, { headers })),
  items: async () => {
    const answer = await api.getContentKeys("team", {}, { headers });
    const team = answer.status === 200 ? (answer.data.data.team ?? []) : [];
    return team.map((each) => ({ id: each.meta.id, name: each.name }));
  },
  changeItem: (id, casks) => done(api.patchContentKeyItemId("team", id, { fields: { casks } }, {}, { headers })),
  item: async (id) => {
    const answer = await api.getContentKeyItemId("team", id, {}, { headers });
    return answer.status === 200 ? (answer.data.data as api.ItemTeam) : null;
  },
  deleteItem: (id) => done(api.deleteContentKeyItemId("team", id, {}, { headers })),
});
