import type { RequestContext, RequestContexts } from '../../port/request-context.ts'

/** As much of AsyncLocalStorage as is needed. */
interface ContextStorage {
  getStore(): RequestContext | undefined
  run<T>(context: RequestContext, task: () => T): T
}

/** What a runtime may have beyond the web platform. */
interface Runtime {
  /** A global of Vercel's edge runtime. */
  readonly AsyncLocalStorage?: new () => ContextStorage
  /** Cloudflare Workers with `nodejs_compat`, Deno and Bun hand their modules out like this: an import would break bundles for all others. */
  readonly process?: {
    getBuiltinModule?(name: string): { readonly AsyncLocalStorage?: new () => ContextStorage } | undefined
  }
}

/**
 * The contexts of one agent, on a runtime of which nothing is known. Where it has an AsyncLocalStorage they follow all that is awaited;
 * elsewhere they hold for the synchronous part of a task: after its first `await` there is none, rather than another request's.
 */
export const edgeContexts = (): RequestContexts => {
  // Opened by the first context, since nothing may be touched at import.
  let storage: ContextStorage | undefined
  return {
    current: () => storage?.getStore(),
    run: (context, task) => (storage ??= openStorage()).run(context, task),
  }
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
  let current: RequestContext | undefined
  return {
    getStore: () => current,
    run(context, task) {
      const outer = current
      current = context
      try {
        return task()
      } finally {
        current = outer
      }
    },
  }
}
