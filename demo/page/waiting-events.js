/**
 * Counts the events that wait in the agent's own database, without ever creating it: the agent makes it with what belongs in it.
 *
 * @param {string} name Of the database.
 * @returns {() => Promise<number>} Resolves to 0 while there is none.
 */
export const waitingEvents = (name) => {
  /** @type {IDBDatabase | undefined} */
  let database

  const open = async () => {
    const known = await indexedDB.databases()
    if (!known.some((each) => each.name === name)) return
    const opening = indexedDB.open(name)
    opening.addEventListener('upgradeneeded', () => opening.transaction?.abort())
    database = await settled(opening)
    const forget = () => (database = undefined)
    database.addEventListener('close', forget)
    database.addEventListener('versionchange', () => {
      database?.close()
      forget()
    })
  }

  return async () => {
    if (!database) await open()
    if (!database?.objectStoreNames.contains('records')) return 0
    // Event records are those whose key begins with `e/`; `0` is the character after `/`.
    return settled(
      database
        .transaction('records')
        .objectStore('records')
        .count(IDBKeyRange.bound('e/', 'e0', false, true)),
    )
  }
}

const settled = (request) =>
  new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result))
    request.addEventListener('error', () => reject(request.error))
  })
