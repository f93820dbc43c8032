/** Parses the query parameter `order` of a list: a column, after a minus sign for the highest first. */
export const parseOrder = <Column extends string>(
  order: Column | `-${Column}`,
): { readonly order: Column; readonly isDescending: boolean } => ({
  order: order.replace('-', '') as Column,
  isDescending: order.startsWith('-'),
})
