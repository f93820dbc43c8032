import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findClosedPort } from './find-closed-port.ts'
import { until } from './until.ts'

/** A web server of a site: it serves the files of a folder, and does what the recipe adds. */
export interface ProxyProgram {
  readonly name: 'nginx' | 'caddy'
  /** The whole configuration around the recipe's block. */
  configure(site: { readonly port: string; readonly root: string; readonly work: string }, recipe: string): string
  /** Its command line, with the path of the configuration. */
  args(file: string): readonly string[]
}

export const NGINX: ProxyProgram = {
  name: 'nginx',
  configure: ({ port, root, work }, recipe) => `
    daemon off;
    ${process.getuid?.() === 0 ? 'user root;' : ''}
    worker_processes 1;
    pid ${work}/pid;
    error_log stderr;
    events {}
    http {
      access_log off;
      default_type text/html;
      ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((each) => `${each}_temp_path ${work}/${each};`).join('\n')}
      server {
        listen 127.0.0.1:${port};
        root ${root};
        ${recipe}
      }
    }`,
  args: (file) => ['-e', 'stderr', '-c', file],
}

export const CADDY: ProxyProgram = {
  name: 'caddy',
  configure: ({ port, root }, recipe) => `
{
	admin off
	auto_https off
}
http://127.0.0.1:${port} {
	bind 127.0.0.1
	root * ${root}
	file_server
	${recipe}
}
`,
  args: (file) => ['run', '--adapter', 'caddyfile', '--config', file],
}

/** Where Debian installs servers; not every user has it in the path. */
const PATH = `${process.env['PATH']}:/usr/sbin`

export const isInstalled = ({ name }: ProxyProgram): boolean =>
  spawnSync('which', [name], { env: { PATH } }).status === 0

/** Starts the server on a free port of 127.0.0.1. `folder` gets its configuration, and the site's `index.html`. */
export const startProxy = async (
  program: ProxyProgram,
  folder: string,
  recipe: string,
  html: string,
): Promise<{ readonly url: string; close(): Promise<void> }> => {
  const url = await findClosedPort()
  const [root, work, file] = [join(folder, 'site'), join(folder, 'work'), join(folder, 'config')]
  for (const each of [root, work]) mkdirSync(each, { recursive: true })
  writeFileSync(join(root, 'index.html'), html)
  writeFileSync(file, program.configure({ port: new URL(url).port, root, work }, recipe))
  const child = spawn(program.name, program.args(file), {
    env: { PATH, HOME: work },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let output = ''
  child.stderr.on('data', (chunk: Buffer) => (output += chunk))
  const exited = new Promise<void>((resolve) => void child.once('exit', () => resolve()))
  const close = (): Promise<void> => {
    child.kill('SIGTERM')
    return exited
  }
  try {
    await until(
      () =>
        fetch(url).then(
          (response) => response.ok,
          () => {
            if (child.exitCode !== null) throw new Error(`${program.name} has exited:\n${output}`)
            return false
          },
        ),
      (isListening) => isListening,
    )
  } catch (error) {
    await close()
    throw new Error(`${program.name} does not serve the site:\n${output}`, { cause: error })
  }
  return { url, close }
}
