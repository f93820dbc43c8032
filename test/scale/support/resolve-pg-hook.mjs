/** The hook of `resolve-pg.mjs`. */
export const resolve = (specifier, context, next) =>
  next(specifier, specifier === 'pg' ? { ...context, parentURL: new URL('../', import.meta.url).href } : context)
