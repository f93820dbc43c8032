import { basename, dirname } from 'node:path'
import { expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import type { Config } from '../../../src/service/config.ts'
import { createProgram } from '../../../src/service/command/program.ts'
import { openApp } from '../support/app.ts'
import { checkSettings, namedFiles } from './check-settings.ts'
import { readOperateFile } from './read-operate-file.ts'

interface Container {
  readonly image: string
  readonly args: readonly string[]
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[]
  readonly env: readonly { readonly name: string; readonly value: string }[]
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[]
  readonly startupProbe: Probe
  readonly readinessProbe: Probe
  readonly lifecycle: { readonly preStop: { readonly exec: { readonly command: readonly string[] } } }
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string }
}

interface Pod {
  readonly terminationGracePeriodSeconds: number
  readonly securityContext: object
  readonly containers: readonly Container[]
  readonly volumes: readonly {
    readonly name: string
    readonly secret?: { readonly secretName: string }
    readonly configMap?: { readonly name: string }
    readonly persistentVolumeClaim?: { readonly claimName: string }
  }[]
}

type Labels = Readonly<Record<string, string>>

interface Document {
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly spec: {
    readonly selector: Labels & { readonly matchLabels: Labels }
    readonly ports: readonly { readonly targetPort: string }[]
    readonly serviceName: string
    readonly replicas: number
    readonly template: { readonly metadata: { readonly labels: Labels }; readonly spec: Pod }
    readonly volumeClaimTemplates: readonly {
      readonly metadata: { readonly name: string }
      readonly spec: { readonly resources: { readonly requests: { readonly storage: string } } }
    }[]
  }
}

/** Reads the documents of a file. Fails on invalid YAML. */
const readDocuments = (file: string): readonly Document[] =>
  parseAllDocuments(readOperateFile(file)).map((document) => {
    expect([...document.errors, ...document.warnings]).toEqual([])
    return document.toJS() as Document
  })

const documents = readDocuments('kubernetes.yaml')
const { metadata: set, spec: nodes } = documents.find(({ kind }) => kind === 'StatefulSet')!
const [job] = readDocuments('kubernetes-drain.yaml')
const pod = nodes.template.spec
const drainPod = job!.spec.template.spec

const containerOf = ({ containers }: Pod): Container => {
  expect(containers).toHaveLength(1)
  return containers[0]!
}

const readSettings = (container: Container): Config =>
  checkSettings(Object.fromEntries(container.env.map(({ name, value }) => [name, value])))

/** The folders of the volumes of a kind, as the container sees them. */
const foldersOf = (of: Pod, has: (volume: Pod['volumes'][number]) => unknown): readonly string[] => {
  const names = new Set(of.volumes.filter(has).map(({ name }) => name))
  return containerOf(of)
    .volumeMounts.filter(({ name }) => names.has(name))
    .map(({ mountPath }) => mountPath)
}

it('sets only what the service knows, and names each file in a volume that is mounted', () => {
  for (const of of [pod, drainPod]) {
    const settings = readSettings(containerOf(of))
    const secrets = foldersOf(of, ({ secret }) => secret)
    const [passwords, others] = [namedFiles(settings).slice(0, 2), namedFiles(settings).slice(2)]
    for (const file of passwords) expect(secrets).toContain(dirname(file))
    for (const file of others) expect(foldersOf(of, ({ configMap }) => configMap)).toContain(dirname(file))
    // `kubectl create secret` in the comment has the names of the files.
    for (const file of passwords)
      expect(readOperateFile('kubernetes.yaml')).toContain(`--from-literal=${basename(file)}=`)
    for (const file of others) expect(readOperateFile('kubernetes.yaml')).toContain(`--from-file=${basename(file)}`)
  }
})

it('keeps the data on the volume of the node, which is larger than its inbox may become', () => {
  const settings = readSettings(containerOf(pod))
  const [claim] = nodes.volumeClaimTemplates
  const folder = containerOf(pod).volumeMounts.find(({ name }) => name === claim!.metadata.name)!.mountPath
  expect(settings.dataFolder.startsWith(`${folder}/`)).toBe(true)
  const [, size] = /^(\d+)Gi$/.exec(claim!.spec.resources.requests.storage)!
  expect(Number(size) * 2 ** 30).toBeGreaterThanOrEqual(settings.inboxLimitBytes + settings.exportsBytes)
})

it('sends requests to the port on which all interfaces are served', () => {
  const { host, port } = readSettings(containerOf(pod))
  const [{ name, containerPort }] = containerOf(pod).ports as [Container['ports'][number]]
  expect([host, port]).toEqual(['0.0.0.0', containerPort])
  const services = documents.filter(({ kind }) => kind === 'Service')
  for (const { spec } of services) {
    expect(spec.ports.map(({ targetPort }) => targetPort)).toEqual([name])
    expect(nodes.template.metadata.labels).toMatchObject(spec.selector)
  }
  expect(services.map((service) => service.metadata.name)).toContain(nodes.serviceName)
  expect(nodes.template.metadata.labels).toMatchObject(nodes.selector.matchLabels)
  for (const { spec } of documents.filter(({ kind }) => kind === 'PodDisruptionBudget'))
    expect(spec.selector.matchLabels).toEqual(nodes.selector.matchLabels)
})

it('asks whether a node acknowledges events, at a path that the service has', async () => {
  const { app } = await openApp()
  const { startupProbe, readinessProbe, ports } = containerOf(pod)
  for (const { httpGet } of [startupProbe, readinessProbe]) {
    expect((await app.inject({ method: 'GET', url: httpGet.path })).json()).toMatchObject({ status: 'ok' })
    expect(ports.map(({ name }) => name)).toContain(httpGet.port)
  }
})

it('gives a node time to stop', () => {
  const [program, pause] = containerOf(pod).lifecycle.preStop.exec.command
  expect(program).toBe('sleep')
  const { stopTimeoutMs } = readSettings(containerOf(pod))
  expect(pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(Number(pause) + stopTimeoutMs / 1000 + 5)
})

it('drains the volume of the last node with the settings of the nodes', () => {
  const [claim] = drainPod.volumes.flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? [])
  expect(claim).toBe(`${nodes.volumeClaimTemplates[0]!.metadata.name}-${set.name}-${nodes.replicas - 1}`)
  const [node, drain] = [containerOf(pod), containerOf(drainPod)]
  expect(node.env).toEqual(expect.arrayContaining([...drain.env]))
  expect(drain.image).toBe(node.image)
  expect(drainPod.securityContext).toEqual(pod.securityContext)
  expect(drain.args).toEqual(['drain', '--from', readSettings(node).dataFolder])
  expect(drain.volumeMounts).toEqual(node.volumeMounts)
})

it('runs commands that exist', () => {
  for (const of of [pod, drainPod]) {
    const [name, ...options] = containerOf(of).args
    const command = createProgram().commands.find((candidate) => candidate.name() === name)!
    const known = command.options.map(({ long }) => long)
    for (const option of options.filter((argument) => argument.startsWith('--'))) expect(known).toContain(option)
  }
})
