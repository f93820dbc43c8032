import type { RequestContext, RequestContexts } from '../../port/request-context.ts'

/** The running contexts by whose they are: one that agents and middleware have each, and do not see of each other. */
type Running = ReadonlyMap<RequestContexts, RequestContext>

/** As much of AsyncLocalStorage as is needed. */
interface ContextStorage {
  getStore(): Running | undefined
  run<T>(running: Running, task: () => T): T
}

/** What a runtime may have beyond the web platform. */
interface Runtime {
  /** A global of Vercel's edge runtime. */
  readonly AsyncLocalStorage?: new () => ContextStorage
  /** Node, Cloudflare Workers with `nodejs_compat`, Deno and Bun hand their modules out like this: an import would break bundles for all others. */
  readonly process?: {
    getBuiltinModule?(name: string): { readonly AsyncLocalStorage?: new () => ContextStorage } | undefined
  }
}

/**
 * One for all agents and all middleware of the process: Node 20 never forgets a storage that was used, and each one makes all asynchronous work
 * slower. Opened by the first context, since nothing may be touched at import.
 */
let storage: ContextStorage | undefined

/**
 * Contexts of one owner, on a runtime of which nothing is known. Where it has an AsyncLocalStorage they follow all that is awaited;
 * elsewhere they hold for the synchronous part of a task: after its first `await` there is none, rather than another request's.
 */
export const createRequestContexts = (): RequestContexts => {
  const contexts: RequestContexts = {
    current: () => storage?.getStore()?.get(contexts),
    run(context, task) {
      storage ??= openStorage()
      return storage.run(new Map(storage.getStore()).set(contexts, context), task)
    },
  }
  return contexts
}

const openStorage = (): ContextStorage => {
  try {
    const { AsyncLocalStorage, process } = globalThis as Runtime
    const Storage = AsyncLocalStorage ?? process?.getBuiltinModule?.('node:async_hooks')?.AsyncLocalStorage
    if (Storage) return new Storage()
  } catch {
    // A runtime that has the names, and nothing behind them.
  }
  return synchronousStorage()
}

const synchronousStorage = (): ContextStorage => {
  let current: Running | undefined
  return {
    getStore: () => current,
    run(running, task) {
      const outer = current
      current = running
      try {
        return task()
      } finally {
        current = outer
      }
    },
  }
}
