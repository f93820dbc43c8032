import { createHash } from 'node:crypto'
import { existsSync, readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { threadId } from 'node:worker_threads'
import { getErrorCode } from './get-error-code.ts'

/** State of the thread that owns a log, as far as this process can see it. */
export type OwnerStatus = 'alive' | 'dead' | 'unknown'

/** `k`: the kernel identifies the thread. `h`: only host name and process id are known. */
type Source = 'k' | 'h'

const OWNER_PATTERN = /^[kh]([0-9a-f]{16})-(\d+)-(\d+)-(\d+)-[0-9a-f]+$/

/** Whether a string has the form of an owner id. */
export const isOwnerId = (value: string): boolean => OWNER_PATTERN.test(value)

/**
 * Creates the id of an agent in the current thread, unique among all processes that may share a folder.
 *
 * The id consists of the scope in which process ids are unique (host, boot, namespace), process id, thread id, start time of the thread,
 * and a random part. Linux numbers threads like processes, so a worker that has ended can be told from its living process.
 *
 * @param random Random bytes, because one thread may have several agents.
 */
export const createOwnerId = (random: Uint8Array): string => {
  const agent = Buffer.from(random).toString('hex')
  try {
    const [pid = '', , tid = ''] = readlinkSync('/proc/thread-self').split('/')
    // A different number means that /proc shows another namespace.
    if (Number(pid) !== process.pid) throw new Error('foreign /proc')
    // A process id is unique within one boot and one namespace. If both are gone when the number is used again, the start time differs.
    const scope = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8') + readlinkSync('/proc/self/ns/pid')
    return formatOwnerId('k', scope, pid, tid, readThreadStat(pid, tid).startTime, agent)
  } catch {
    return formatOwnerId('h', hostname(), process.pid, threadId, 0, agent)
  }
}

const formatOwnerId = (source: Source, scope: string, ...parts: readonly (string | number)[]): string =>
  [source + createHash('sha256').update(scope).digest('hex').slice(0, 16), ...parts].join('-')

/**
 * Whether an owner is alive. A stopped or hanging process is alive. The status on another host, in another container or after a reboot is
 * unknown.
 *
 * @param self An owner id of the current thread.
 */
export const getOwnerStatus = (owner: string, self: string): OwnerStatus => {
  const [, scope, pid = '', tid = '', startTime] = OWNER_PATTERN.exec(owner) ?? []
  if (scope === undefined || owner[0] !== self[0] || scope !== OWNER_PATTERN.exec(self)?.[1]) return 'unknown'
  if (owner.startsWith('h')) return isProcessAlive(pid) ? 'unknown' : 'dead'
  try {
    const stat = readThreadStat(pid, tid)
    return stat.startTime === startTime && !/[ZXx]/.test(stat.state) ? 'alive' : 'dead'
  } catch {
    // With the mount option hidepid, /proc does not show the processes of other users.
    return existsSync(`/proc/${pid}/task`) || !isProcessAlive(pid) ? 'dead' : 'unknown'
  }
}

/**
 * State and start time (clock ticks since boot) of a thread: fields 3 and 22 of proc(5). The name before them may contain any character.
 */
const readThreadStat = (pid: string, tid: string): { readonly state: string; readonly startTime: string } => {
  const stat = readFileSync(`/proc/${pid}/task/${tid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return { state: fields[0]!, startTime: fields[19]! }
}

const isProcessAlive = (pid: string): boolean => {
  try {
    return process.kill(Number(pid), 0)
  } catch (error) {
    // EPERM: the process belongs to another user.
    return getErrorCode(error) !== 'ESRCH'
  }
}
