// What a React Native app finds in its engine: timers, a console, `fetch` and a storage. Nothing else is added to Hermes, so that
// TextEncoder, crypto, URL, AbortController, queueMicrotask and Intl are missing. The test replaces `RUN` by the options of the run.
;((run) => {
  const nextTurn = setTimeout
  let nowMs = run.startMs
  const endMs = nowMs + 8_000
  let timers = []
  let lastId = 0
  const { disk } = run

  const later = (work) => Promise.resolve().then(work)
  const log =
    (method) =>
    (...message) =>
      print('CONSOLE', JSON.stringify([method, ...message.map(String)]))

  Date.now = () => nowMs
  globalThis.apiKey = run.apiKey
  globalThis.isOnline = run.isOnline
  globalThis.definitions = run.definitions
  globalThis.flagSets = run.flagSets
  globalThis.console = { log: log('log'), warn: log('warn'), error: log('error') }
  globalThis.setTimeout = (task, ms) => {
    timers.push({ id: ++lastId, dueMs: nowMs + (ms > 0 ? ms : 0), task })
    return lastId
  }
  globalThis.clearTimeout = (id) => {
    timers = timers.filter((timer) => timer.id !== id)
  }
  globalThis.setImmediate = (task) => globalThis.setTimeout(() => task(), 0)
  globalThis.storage = {
    getItem: (key) => later(() => disk[key] ?? null),
    setItem: (key, value) => later(() => (disk[key] = value)),
    removeItem: (key) => later(() => delete disk[key]),
    getAllKeys: () => later(() => Object.keys(disk)),
  }
  globalThis.Linking = { getInitialURL: () => later(() => 'shop://cart'), addEventListener: () => undefined }
  // The handler of React Native, which ends the app.
  let handler = ({ message }) => {
    const isStored = Object.values(disk).some((value) => value.includes('"$exception"'))
    print('ENDED', JSON.stringify({ message, isStored }))
  }
  globalThis.ErrorUtils = {
    getGlobalHandler: () => handler,
    setGlobalHandler: (newHandler) => {
      handler = newHandler
    },
  }
  globalThis.fetch = (url, { headers, body }) => {
    print('REQUEST', JSON.stringify({ url, headers, body: typeof body === 'string' ? body : Array.from(body) }))
    if (!run.isOnline) return Promise.reject(new TypeError('Network request failed'))
    const text = JSON.stringify({ featureFlags: { beta: 'blue' }, featureFlagPayloads: {} })
    return Promise.resolve({ status: 200, headers: { get: () => null }, text: () => Promise.resolve(text) })
  }

  /** Runs the timers of eight seconds, each in its own turn. */
  const runNext = () => {
    const due = timers.filter(({ dueMs }) => dueMs <= endMs).sort((a, b) => a.dueMs - b.dueMs || a.id - b.id)
    if (due.length === 0) return print('DISK', JSON.stringify(disk))
    const [{ id, dueMs, task }] = due
    clearTimeout(id)
    nowMs = Math.max(nowMs, dueMs)
    task()
    return nextTurn(runNext, 0)
  }
  const names = ['TextEncoder', 'crypto', 'URL', 'AbortController', 'queueMicrotask', 'Intl']
  print('MISSING', JSON.stringify(names.filter((name) => typeof globalThis[name] === 'undefined')))
  nextTurn(runNext, 0)
})(RUN)
