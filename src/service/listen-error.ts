import type { Config } from './config.ts'
import { StartError } from './data-folder.ts'

/** What is wrong with the address that a server cannot listen on, and how to choose another one; any other error as it is. */
export const toListenError = (error: unknown, { host, port }: Pick<Config, 'host' | 'port'>): unknown => {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'EADDRINUSE')
    return new StartError(`Port ${port} on ${host} is in use; choose another with --port.`, { cause: error })
  if (code === 'EACCES')
    return new StartError(`This user may not open port ${port}; choose one above 1023 with --port.`, { cause: error })
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return new StartError(`${host} is not an address of this machine; choose another with --host.`, { cause: error })
  }
  return error
}
