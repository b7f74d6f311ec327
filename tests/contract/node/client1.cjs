// npm buttercms 1.x: makes the calls it reads from stdin, one after another, and prints what came of each.
// Arguments: unused, the base of the service, which the fourth argument of the client (a hook) gives to axios.
"use strict";
const [, , , base] = process.argv;
const Butter = require("buttercms-1");

const requests = [];
const toOurs = (axios) => {
  axios.defaults.baseURL = base;
  axios.interceptors.request.use((request) => {
    requests.push({ ...request.headers });
    return request;
  });
};

async function make(call) {
  const client = Butter(call.token, call.options?.testMode ?? false, call.options?.timeout ?? 60000, toOurs);
  try {
    const { status, data, request } = await client[call.resource][call.method](...call.args);
    return { status, data, url: request?.res?.responseUrl ?? null };
  } catch (error) {
    return error.response
      ? { message: error.message, status: error.response.status, data: error.response.data }
      : { message: String(error.message ?? error) };
  }
}

import("./calls.mjs").then(async ({ outcomes, methodsOf }) => {
  console.log(JSON.stringify({ methods: methodsOf(Butter("x")), outcomes: await outcomes(make), requests }));
});
