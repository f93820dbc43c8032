/** Does to lists and dates what Prototype.js 1.6 does to those of a page. Returns a function that undoes it. */
export const addPrototypeMethods = (): (() => void) => {
  const list = Array.prototype as { toJSON?: unknown }
  const date = Date.prototype
  const originalToJson = date.toJSON
  list.toJSON = function (this: unknown[]) {
    return `[${this.length} items]`
  }
  date.toJSON = function () {
    return '"1 January"'
  }
  return () => {
    delete list.toJSON
    date.toJSON = originalToJson
  }
}
