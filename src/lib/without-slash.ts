/** A URL whose path has no slash at its end: `/decide?v=3` for `/decide/?v=3`. */
export const withoutSlash = (url: string): string => url.replace(/\/($|\?)/, '$1')
