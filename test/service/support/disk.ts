import { spawnSync } from 'node:child_process'
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A disk for one test, mounted on a folder until the test ends. */
export interface Disk {
  readonly path: string
  /** Fills all free space. */
  fill(): void
  /** Frees the space that `fill` took. */
  freeSpace(): void
  /** Unmounts the disk. Processes that use it keep their open files. */
  unmount(): void
}

/** Whether this process may mount, like root in its own mount namespace. Tests of disks are skipped otherwise. */
export const canMount: boolean = (() => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-mount-'))
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder])
  if (status === 0) spawnSync('umount', [folder])
  rmSync(folder, { recursive: true, force: true })
  return status === 0
})()

/** Whether `mountFileDisk` works: it needs a kernel with ext4 and its tools (Debian: e2fsprogs). */
export const canMountFile: boolean =
  canMount && existsSync('/sys/fs/ext4') && spawnSync('mkfs.ext4', ['-V']).status === 0

/** Mounts a small disk in memory. */
export const mountMemoryDisk = (mebibytes: number): Disk =>
  mountFolder((folder) => run('mount', '-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', folder))

/** A disk whose file system becomes read-only on an error, as is usual on servers. */
export interface FileDisk extends Disk {
  /** Triggers a file system error: from then on every write fails, also to open files. */
  triggerError(): void
  /** Mounts the disk again after `unmount`. */
  mount(mode: 'read-only' | 'writable'): void
}

export const mountFileDisk = (mebibytes: number): FileDisk => {
  const image = join(tmpdir(), `waymark-disk-${process.pid}-${Date.now()}`)
  onTestFinished(() => rmSync(image, { force: true }))
  writeFileSync(image, '')
  truncateSync(image, mebibytes * 2 ** 20)
  run('mkfs.ext4', '-q', '-F', image)
  const disk = mountFolder((folder) => run('mount', '-o', 'loop,errors=remount-ro', image, folder))
  return {
    ...disk,
    triggerError() {
      const device = run('findmnt', '-no', 'SOURCE', disk.path)
      writeFileSync(`/sys/fs/ext4/${basename(device)}/trigger_fs_error`, 'test')
    },
    mount(mode) {
      // 1 means that errors were found and corrected.
      const { status } = spawnSync('e2fsck', ['-fy', image])
      if (status !== 0 && status !== 1)
        throw new Error(`e2fsck exited with ${status}; it must be able to repair the disk image`)
      run('mount', '-o', mode === 'writable' ? 'loop' : 'loop,ro', image, disk.path)
    },
  }
}

const mountFolder = (mount: (folder: string) => void): Disk => {
  const path = mkdtempSync(join(tmpdir(), 'waymark-disk-'))
  const unmount = (): void => {
    // Lazily if a killed process has not ended yet.
    if (isMounted(path) && spawnSync('umount', [path]).status !== 0) run('umount', '-l', path)
  }
  const cleanUp = (): void => {
    while (isMounted(path)) unmount()
    rmSync(path, { recursive: true, force: true })
  }
  process.once('exit', cleanUp)
  onTestFinished(() => {
    cleanUp()
    process.off('exit', cleanUp)
  })
  mount(path)
  const filler = join(path, 'filler')
  return {
    path,
    unmount,
    fill: () => fillDisk(filler),
    freeSpace: () => rmSync(filler, { force: true }),
  }
}

const isMounted = (path: string): boolean => readFileSync('/proc/self/mounts', 'utf8').includes(` ${path} `)

const fillDisk = (file: string): void => {
  const fd = openSync(file, 'a')
  try {
    for (let bytes = 2 ** 20; bytes >= 1;) {
      try {
        if (writeSync(fd, Buffer.alloc(bytes)) < bytes) bytes = Math.floor(bytes / 2)
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
        bytes = Math.floor(bytes / 2)
      }
    }
  } finally {
    closeSync(fd)
  }
}

const run = (command: string, ...args: readonly string[]): string => {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? stderr}`)
  return stdout.trim()
}

/** Overwrites bytes of a file, like a failing disk. */
export const overwrite = (file: string, offset: number, bytes: Uint8Array): void => {
  const { size } = statSync(file)
  if (offset + bytes.length > size)
    throw new Error(`${file} has only ${size} bytes; the test must overwrite existing ones.`)
  const fd = openSync(file, 'r+')
  writeSync(fd, bytes, 0, bytes.length, offset)
  closeSync(fd)
}
