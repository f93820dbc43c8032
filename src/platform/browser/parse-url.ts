/**
 * Host and path of a URL that the browser has written, such as `location.href`. Both are missing for any other string.
 *
 * Without `URL`: the first object of that class costs a slow phone milliseconds, and pages have constants of this name.
 */
export const parseUrl = (url: string): { readonly $host?: string; readonly $pathname?: string } => {
  const [, $host, $pathname] = /^[\w+.-]+:\/\/(?:[^/?#]*@)?([^/?#]*)([^?#]*)/.exec(url) ?? []
  return { $host, $pathname }
}
