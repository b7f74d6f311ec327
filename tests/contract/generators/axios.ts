import type { AxiosResponse } from "axios";
import { CollectionsApi, Configuration, CreatePageNewsPageTypeEnum, CreateItemsTeamKeyEnum, PagesApi, PostsApi } from "./generated";
import { base, run, token } from "./scenario";

const configuration = new Configuration({ basePath: base, apiKey: (name) => (name === "Authorization" ? token : "") });
const posts = new PostsApi(configuration);
const pages = new PagesApi(configuration);
const content = new CollectionsApi(configuration);
const status = "published";
const found = <T>(answer: Promise<AxiosResponse<T>>): Promise<T | null> =>
  answer.then((each) => each.data).catch((error) => (error.response?.status === 404 ? null : Promise.reject(error)));

run("axios", {
  posts: async () => (await posts.getPosts()).data.data.map((each) => each.slug),
  createPost: (slug) => posts.postPosts({ title: "Sent", slug, status }),
  changePost: (slug, title) => posts.patchPostsSlug(slug, { title }),
  post: async (slug) => (await found(posts.getPostsSlug(slug)))?.data.title ?? null,
  deletePost: (slug) => posts.deletePostsSlug(slug),
  createPage: (slug, headline) =>
    pages.postPages({ title: "Sent", slug, status, page_type: CreatePageNewsPageTypeEnum.News, fields: { headline } }),
  changePage: (slug, intro) => pages.patchPagesPageTypePageSlug("news", slug, { fields: { intro } }),
  page: async (slug) => {
    const fields = (await found(pages.getPagesPageTypePageSlug("news", slug)))?.data.fields;
    return fields && "headline" in fields && "intro" in fields ? fields : null;
  },
  deletePage: (slug) => pages.deletePagesPageTypePageSlug("news", slug),
  createItem: (name) => content.postContent({ key: CreateItemsTeamKeyEnum.Team, fields: [{ name }], status }),
  items: async () =>
    ((await content.getContentKeys("team")).data.data.team ?? []).map((each) => ({ id: each.meta.id, name: each.name })),
  changeItem: (id, casks) => content.patchContentKeyItemId("team", id, { fields: { casks } }),
  item: async (id) => {
    const item = (await found(content.getContentKeyItemId("team", id)))?.data;
    return item && "casks" in item ? item : null;
  },
  deleteItem: (id) => content.deleteContentKeyItemId("team", id),
});
