import { createHash } from 'node:crypto'
import { existsSync, readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { threadId } from 'node:worker_threads'
import { codeOf } from './error-code.ts'

/** What can be told from here of the agent that owns a log: of its thread. */
export type Life = 'alive' | 'dead' | 'unknown'

/** Whether the kernel told who a thread is, or only the host's name and the process id are known. */
type Source = 'k' | 'h'

const FORM = /^[kh]([0-9a-f]{16})-(\d+)-(\d+)-(\d+)-[0-9a-f]+$/

/** Whether a text has the form of an owner. */
export const isOwner = (text: string): boolean => FORM.test(text)

/**
 * An agent of the running thread among all that may ever share a folder: where its process ids count, its process, its thread, when that began, and
 * its own id. Linux numbers threads as it does processes, so that a worker that has ended is told from its process, which lives on.
 *
 * @param agent Random, since a thread may have several agents.
 */
export const newOwner = (agent: Uint8Array): string => {
  const id = Buffer.from(agent).toString('hex')
  try {
    const [pid = '', , tid = ''] = readlinkSync('/proc/thread-self').split('/')
    // Other numbers than ours: the folder of processes is that of another namespace.
    if (Number(pid) !== process.pid) throw new Error('foreign /proc')
    // An id in use means one process within one boot and one namespace; either may be gone by the time that its number is used again, and then
    // the begin differs.
    const space = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8') + readlinkSync('/proc/self/ns/pid')
    return owner('k', space, pid, tid, statOf(pid, tid).begin, id)
  } catch {
    return owner('h', hostname(), process.pid, threadId, 0, id)
  }
}

const owner = (source: Source, space: string, ...numbers: readonly (string | number)[]): string =>
  [source + createHash('sha256').update(space).digest('hex').slice(0, 16), ...numbers].join('-')

/**
 * Whether an owner lives. A process that is stopped or hangs lives; of another host, container or boot nothing is known from here.
 *
 * @param self An agent of the running thread.
 */
export const lifeOf = (owner: string, self: string): Life => {
  const [, space, pid = '', tid = '', begin] = FORM.exec(owner) ?? []
  if (space === undefined || owner[0] !== self[0] || space !== FORM.exec(self)?.[1]) return 'unknown'
  if (owner.startsWith('h')) return isProcess(pid) ? 'unknown' : 'dead'
  try {
    const stat = statOf(pid, tid)
    return stat.begin === begin && !/[ZXx]/.test(stat.state) ? 'alive' : 'dead'
  } catch {
    // Where /proc is mounted with hidepid, the processes of other users are not seen in it.
    return existsSync(`/proc/${pid}/task`) || !isProcess(pid) ? 'dead' : 'unknown'
  }
}

/** State and begin (clock ticks since boot) of a thread: fields 3 and 22 of proc(5), after the name, which may hold anything. */
const statOf = (pid: string, tid: string): { readonly state: string; readonly begin: string } => {
  const text = readFileSync(`/proc/${pid}/task/${tid}/stat`, 'utf8')
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return { state: fields[0]!, begin: fields[19]! }
}

const isProcess = (pid: string): boolean => {
  try {
    return process.kill(Number(pid), 0)
  } catch (error) {
    // EPERM: somebody else's.
    return codeOf(error) !== 'ESRCH'
  }
}
