/** The bytes of a file of this package: from disk in Node, Deno and Bun, and by a request in browsers. */
export async function load(url) {
  if (url.protocol === "file:") return (await import("node:fs")).readFileSync(url);
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status} ${response.statusText}`);
  return response.arrayBuffer();
}
