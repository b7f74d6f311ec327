import { CollectionsApi, Configuration, PagesApi, PostsApi, ResponseError } from "./generated";
import { base, run, token } from "./scenario";

const configuration = new Configuration({ basePath: base, apiKey: (name) => (name === "Authorization" ? token : "") });
const posts = new PostsApi(configuration);
const pages = new PagesApi(configuration);
const content = new CollectionsApi(configuration);
const status = "published";
const found = <T>(answer: Promise<T>): Promise<T | null> =>
  answer.catch((error) => (error instanceof ResponseError && error.response.status === 404 ? null : Promise.reject(error)));

run("fetch", {
  posts: async () => (await posts.getPosts()).data.map((each) => each.slug),
  createPost: (slug) => posts.postPosts({ createPost: { title: "Sent", slug, status } }),
  changePost: (slug, title) => posts.patchPostsSlug({ slug, postChange: { title } }),
  post: async (slug) => (await found(posts.getPostsSlug({ slug })))?.data.title ?? null,
  deletePost: (slug) => posts.deletePostsSlug({ slug }),
  createPage: (slug, headline) =>
    pages.postPages({ createPage: { title: "Sent", slug, status, pageType: "news", fields: { headline } } }),
  changePage: (pageSlug, intro) =>
    pages.patchPagesPageTypePageSlug({ pageType: "news", pageSlug, pageChange: { fields: { intro } } }),
  page: async (pageSlug) => {
    const fields = (await found(pages.getPagesPageTypePageSlug({ pageType: "news", pageSlug })))?.data.fields;
    return fields && "headline" in fields && "intro" in fields ? fields : null;
  },
  deletePage: (pageSlug) => pages.deletePagesPageTypePageSlug({ pageType: "news", pageSlug }),
  createItem: (name) => content.postContent({ createItems: { key: "team", fields: [{ name }], status } }),
  items: async () =>
    ((await content.getContentKeys({ keys: "team" })).data.team ?? []).map((each) => ({ id: each.meta.id, name: each.name })),
  changeItem: (itemId, casks) => content.patchContentKeyItemId({ key: "team", itemId, itemChange: { fields: { casks } } }),
  item: async (itemId) => {
    const item = (await found(content.getContentKeyItemId({ key: "team", itemId })))?.data;
    return item && "casks" in item ? item : null;
  },
  deleteItem: (itemId) => content.deleteContentKeyItemId({ key: "team", itemId }),
});
