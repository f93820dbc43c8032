import type { RequestContext, RequestContexts } from '../../port/request-context.ts'

/** The active context of each `RequestContexts`: agents and middleware have their own, and do not see those of others. */
type ActiveContexts = ReadonlyMap<RequestContexts, RequestContext>

/** The members of AsyncLocalStorage that are used. */
interface ContextStorage {
  getStore(): ActiveContexts | undefined
  run<T>(active: ActiveContexts, task: () => T): T
}

/** Globals that a runtime may have beyond the web platform. */
interface Runtime {
  /** A global of Vercel's edge runtime. */
  readonly AsyncLocalStorage?: new () => ContextStorage
  /**
   * Node, Cloudflare Workers with `nodejs_compat`, Deno and Bun offer their modules here. An import would break bundles for other runtimes.
   */
  readonly process?: {
    getBuiltinModule?(name: string): { readonly AsyncLocalStorage?: new () => ContextStorage } | undefined
  }
}

/**
 * One storage for all agents and middleware of the process, because Node 20 never frees a used storage and each one slows asynchronous work
 * down. Created by the first context, because an import must have no effect.
 */
let storage: ContextStorage | undefined

/**
 * Creates the request contexts of one owner, on any runtime.
 *
 * With AsyncLocalStorage a context follows everything that is awaited. Without it, a context lasts for the synchronous part of its task:
 * after the first `await` there is no context, rather than that of another request.
 */
export const createRequestContexts = (): RequestContexts => {
  const contexts: RequestContexts = {
    current: () => storage?.getStore()?.get(contexts),
    run(context, task) {
      storage ??= createStorage()
      return storage.run(new Map(storage.getStore()).set(contexts, context), task)
    },
  }
  return contexts
}

const createStorage = (): ContextStorage => {
  try {
    const { AsyncLocalStorage, process } = globalThis as Runtime
    const Storage = AsyncLocalStorage ?? process?.getBuiltinModule?.('node:async_hooks')?.AsyncLocalStorage
    if (Storage) return new Storage()
  } catch {
    // The runtime has these names without an implementation.
  }
  return createSynchronousStorage()
}

const createSynchronousStorage = (): ContextStorage => {
  let current: ActiveContexts | undefined
  return {
    getStore: () => current,
    run(active, task) {
      const outer = current
      current = active
      try {
        return task()
      } finally {
        current = outer
      }
    },
  }
}
