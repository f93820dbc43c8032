/**
 * Finds the items that fail on their own. A list that fails is tried again in halves, so a few bad items among many cost few attempts.
 *
 * @param succeeds Tries a list of at least one item.
 */
export const findInHalves = async <Item>(
  items: readonly Item[],
  succeeds: (items: readonly Item[]) => Promise<boolean>,
): Promise<Item[]> => {
  if (items.length === 0 || (await succeeds(items))) return []
  if (items.length === 1) return [...items]
  const middle = items.length >> 1
  return [
    ...(await findInHalves(items.slice(0, middle), succeeds)),
    ...(await findInHalves(items.slice(middle), succeeds)),
  ]
}
