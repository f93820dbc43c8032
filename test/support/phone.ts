import { REACT_NATIVE_OPTION_NAMES } from '../../src/entry/react-native-options.ts'
import type { ReactNativeOptions } from '../../src/entry/react-native-options.ts'
import { initReactNative } from '../../src/entry/init-react-native.ts'
import type { ReactNativeWaymark } from '../../src/agent/react-native/waymark.ts'
import { getRunningAgents } from '../../src/entry/running-agents.ts'
import type { AppStorage } from '../../src/platform/react-native/app-storage.ts'
import type { WireEvent } from '../../src/wire/event.ts'
import { decodeBody } from './fake-service.ts'
import { manualClock } from './manual-clock.ts'
import type { ManualClock } from './manual-clock.ts'

/** One change of the phone's disk. An undefined value removes the entry. */
export interface DiskWrite {
  readonly key: string
  readonly value: string | undefined
}

/** One run of the app, from its start until it is killed. In the background its timers wait, as on Android. */
export interface AppRun {
  readonly agent: ReactNativeWaymark
  readonly clock: ManualClock
  background(): void
  foreground(): void
  setOnline(isOnline: boolean): void
  /** Changes that the storage has confirmed to this run, in order. */
  readonly confirmed: DiskWrite[]
  /** The process ends: no write, response or timer has any effect from now on. */
  kill(): void
  isKilled(): boolean
}

/** A phone with one app: its disk outlives the runs of the app. */
export interface Phone {
  readonly disk: Map<string, string>
  /** Everything that was written to the disk, in order, entry by entry. */
  readonly log: DiskWrite[]
  /** The run is killed after this many further changes of the disk. Default: never. */
  writesUntilKill: number
  /** Status of responses to events; 0: no response. */
  eventStatus: number
  /** The next request with events reaches the service, and the app is killed before the response. */
  isKilledByNextRequest: boolean
  /** Stored events by uuid, as a service without duplicates has them. */
  readonly stored: Map<string, WireEvent>
  /** Events of each request that reached the service. */
  readonly requests: WireEvent[][]
  /** Bodies of the flag requests. */
  readonly flagRequests: Record<string, unknown>[]
  /** Response to flag requests. */
  flags: Record<string, unknown>
  open(options?: Partial<ReactNativeOptions>, currentState?: string | null): AppRun
  names(): string[]
}

/** @param isMany The storage has the methods for several entries at once, as AsyncStorage has. */
export const createPhone = (isMany = true): Phone => {
  let nowMs = Date.UTC(2026, 0, 1)
  let seed = 7

  const open: Phone['open'] = (options, currentState = 'active') => {
    const clock = manualClock(nowMs)
    let waitingTasks: (() => void)[] = []
    const appClock: ManualClock = {
      ...clock,
      after(delayMs, task) {
        let isCancelled = false
        const run = (): void => {
          if (isCancelled) return
          if (appState.currentState === 'background') waitingTasks.push(run)
          else task()
        }
        const cancel = clock.after(delayMs, run)
        return () => {
          isCancelled = true
          cancel()
        }
      },
    }
    let isKilled = false
    const confirmed: DiskWrite[] = []
    const stateListeners = new Set<(state: string) => void>()
    const netListeners = new Set<(state: { isConnected: boolean }) => void>()

    /** Settles in a later microtask; never once the app is killed. */
    const answer = async <T>(work: () => T): Promise<T> => {
      await Promise.resolve()
      const result = work()
      return isKilled ? new Promise<never>(() => undefined) : result
    }
    const change = (writes: readonly DiskWrite[]): Promise<void> =>
      answer(() => {
        for (const write of writes) {
          if (isKilled) return
          if (write.value === undefined) phone.disk.delete(write.key)
          else phone.disk.set(write.key, write.value)
          phone.log.push(write)
          if (--phone.writesUntilKill === 0) run.kill()
        }
        if (!isKilled) confirmed.push(...writes)
      })
    const read = (key: string): string | null => phone.disk.get(key) ?? null
    const storage: AppStorage = {
      getItem: (key) => answer(() => read(key)),
      setItem: (key, value) => change([{ key, value }]),
      removeItem: (key) => change([{ key, value: undefined }]),
      getAllKeys: () => answer(() => [...phone.disk.keys()]),
      ...(isMany && {
        multiGet: (keys: readonly string[]) => answer(() => keys.map((key) => [key, read(key)] as const)),
        multiSet: (entries: [string, string][]) => change(entries.map(([key, value]) => ({ key, value }))),
        multiRemove: (keys: string[]) => change(keys.map((key) => ({ key, value: undefined }))),
      }),
    }
    const appState = {
      currentState,
      addEventListener(_type: 'change', listener: (state: string) => void) {
        stateListeners.add(listener)
        return { remove: () => void stateListeners.delete(listener) }
      },
    }
    const setState = (state: string): void => {
      appState.currentState = state
      for (const listener of stateListeners) listener(state)
      if (state === 'background') return
      const tasks = waitingTasks
      waitingTasks = []
      for (const task of tasks) task()
    }

    const fetch = async (url: unknown, init: RequestInit | undefined): Promise<Response> => {
      await Promise.resolve()
      if (isKilled) return new Promise<never>(() => undefined)
      const contentType = (init!.headers as Record<string, string>)['Content-Type']!
      const body = JSON.parse(decodeBody(init!.body as string, contentType)) as Record<string, unknown> & {
        batch: WireEvent[]
      }
      if (!String(url).endsWith('/batch/')) {
        phone.flagRequests.push(body)
        return Response.json(phone.flags)
      }
      if (phone.eventStatus === 0) throw new TypeError('Network request failed')
      phone.requests.push(body.batch)
      if (phone.eventStatus === 200)
        for (const event of body.batch) if (!phone.stored.has(event.uuid)) phone.stored.set(event.uuid, event)
      if (phone.isKilledByNextRequest) {
        phone.isKilledByNextRequest = false
        run.kill()
      }
      return answer(() => new Response(null, { status: phone.eventStatus }))
    }

    const run: AppRun = {
      agent: undefined as unknown as ReactNativeWaymark,
      clock,
      confirmed,
      background: () => setState('background'),
      foreground: () => setState('active'),
      setOnline(isConnected) {
        for (const listener of netListeners) listener({ isConnected })
      },
      kill() {
        isKilled = true
        nowMs = clock.now() + 1_000
        getRunningAgents().delete('key')
      },
      isKilled: () => isKilled,
    }
    const agent = initReactNative(
      'key',
      {
        host: 'https://waymark.test/',
        storage,
        appState,
        netInfo: {
          addEventListener(listener) {
            netListeners.add(listener)
            return () => void netListeners.delete(listener)
          },
        },
        fetch,
        getRandomValues: (bytes) => bytes.forEach((_, index) => (bytes[index] = seed = (seed * 5 + 3) & 255)),
        ...options,
      },
      { optionNames: REACT_NATIVE_OPTION_NAMES },
      appClock,
    )
    return Object.assign(run, { agent })
  }

  const phone: Phone = {
    disk: new Map(),
    log: [],
    writesUntilKill: Infinity,
    eventStatus: 200,
    isKilledByNextRequest: false,
    stored: new Map(),
    requests: [],
    flagRequests: [],
    flags: { featureFlags: {}, featureFlagPayloads: {}, supportedCompression: ['gzip'] },
    open,
    names: () => [...phone.stored.values()].map(({ event }) => event),
  }
  return phone
}
