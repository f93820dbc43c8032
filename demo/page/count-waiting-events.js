/**
 * Creates a function that counts the events in the agent's database. It never creates the database, because only the agent may do that.
 *
 * @param {string} name Name of the database.
 * @returns {() => Promise<number>} Resolves to 0 while there is no database.
 */
export const createWaitingCounter = (name) => {
  /** @type {IDBDatabase | undefined} */
  let database

  const open = async () => {
    const databases = await indexedDB.databases()
    if (!databases.some((info) => info.name === name)) return
    const opening = indexedDB.open(name)
    opening.addEventListener('upgradeneeded', () => opening.transaction?.abort())
    database = await promisify(opening)
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
    // The keys of events begin with `e/`; `0` is the character after `/`.
    return promisify(
      database
        .transaction('records')
        .objectStore('records')
        .count(IDBKeyRange.bound('e/', 'e0', false, true)),
    )
  }
}

const promisify = (request) =>
  new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result))
    request.addEventListener('error', () => reject(request.error))
  })
