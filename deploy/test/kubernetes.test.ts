import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { serveHealth } from '@patchbay/server/http/health'
import { describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { version } from '../../package.json' with { type: 'json' }
import { imagePort, imageUser, imageVolume } from './containerfile.ts'
import { type Manifest, resolveKustomization } from './kustomize.ts'
import { checkManifests } from './manifest-types.ts'
import { listSecretFiles, listUnknownSettings, readSettings } from './settings.ts'

/** The kustomizations are valid, restrict the pods, and configure Patchbay with settings that it accepts. */

const read = (name: string): Manifest[] => resolveKustomization(`deploy/kubernetes/${name}`)
const installations = [
  { name: 'standalone', manifests: read('standalone') },
  { name: 'platform', manifests: read('platform') },
]

const find = (manifests: Manifest[], kind: string): Manifest => {
  const [manifest, ...others] = manifests.filter((each) => each.kind === kind)
  if (manifest === undefined || others.length > 0) throw new Error(`there is not one ${kind}`)
  return manifest
}

interface Pod {
  owner: Manifest
  labels: Record<string, string>
  spec: Record<string, any>
  container: Record<string, any>
}

const toPod = (owner: Manifest): Pod => {
  const { metadata, spec } = owner.spec?.['template'] ?? {}
  expect(spec.containers).toHaveLength(1)
  return { owner, labels: metadata.labels, spec, container: spec.containers[0] }
}

const listPods = (manifests: Manifest[]): Pod[] =>
  manifests.filter(({ kind }) => ['Deployment', 'Job'].includes(kind)).map(toPod)

/** Returns the environment of a container, with that of the config map that it names. */
const readEnvironment = (manifests: Manifest[], { container }: Pod): Record<string, string> => ({
  ...Object.assign(
    {},
    ...(container['envFrom'] ?? []).map(({ configMapRef }: { configMapRef: { name: string } }) => {
      const map = find(manifests, 'ConfigMap')
      expect(configMapRef.name).toBe(map.metadata.name)
      return map.data
    }),
  ),
  ...Object.fromEntries(
    (container['env'] ?? []).map((entry: { name: string; value: string }) => [entry.name, entry.value]),
  ),
})

const matches = (labels: Record<string, string>, selector: Record<string, string>): boolean =>
  Object.entries(selector).every(([name, value]) => labels[name] === value)

const secretFolder = '/run/secrets/patchbay'
const secrets = {
  [`${secretFolder}/database-url`]: 'mysql://user:password@database/jambones',
  [`${secretFolder}/jwt-secret`]: 'a'.repeat(64),
  [`${secretFolder}/redis-password`]: 'b'.repeat(64),
}

describe.each(installations)('the installation $name', ({ name, manifests }) => {
  test('has objects that the API of Kubernetes accepts', async () => {
    expect(await checkManifests(manifests)).toBe('')
    const deployment = find(manifests, 'Deployment')
    const misspelled = { ...deployment, spec: { ...deployment.spec, replicsa: 2 } }
    expect(await checkManifests([misspelled])).toMatch(/"replicsa"' does not exist in type 'IDeploymentSpec'/)
  })

  test('runs this version, and names it', () => {
    for (const { container } of listPods(manifests))
      expect(container['image']).toBe(`registry.example.com/patchbay:${version}`)
    expect(find(manifests, 'Deployment').metadata.labels?.['app.kubernetes.io/version']).toBe(version)
  })

  test('has pods that the restricted security standard allows, with a read-only root', () => {
    expect(find(manifests, 'Namespace').metadata.labels?.['pod-security.kubernetes.io/enforce']).toBe('restricted')
    const [runAsUser, runAsGroup] = imageUser
    for (const { spec, container } of listPods(manifests)) {
      expect(spec).toMatchObject({
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        securityContext: {
          runAsNonRoot: true,
          runAsUser,
          runAsGroup,
          fsGroup: runAsGroup,
          seccompProfile: { type: 'RuntimeDefault' },
        },
      })
      expect(container['securityContext']).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      })
      expect(container['volumeMounts']).toContainEqual({ name: 'data', mountPath: imageVolume })
      const volumes = spec['volumes'].map((volume: { name: string }) => volume.name).toSorted()
      expect(container['volumeMounts'].map((mount: { name: string }) => mount.name).toSorted()).toEqual(volumes)
    }
  })

  test('configures Patchbay with settings that it accepts', () => {
    for (const pod of listPods(manifests)) {
      const env = readEnvironment(manifests, pod)
      expect(listUnknownSettings(env)).toEqual([])
      expect(env['DATA_DIR']).toMatch(new RegExp(`^${imageVolume}/`))
      for (const path of listSecretFiles(env)) expect(secrets).toHaveProperty([path])
      expect(readSettings(env, secrets).database).toBeDefined()
    }
  })

  test('exposes the ports of the image, and selects the pods of the server', () => {
    const [server, ...others] = listPods(manifests)
    expect(server?.owner.kind).toBe('Deployment')
    const ports = server?.container['ports'] as { name: string; containerPort: number }[]
    const env = server && readEnvironment(manifests, server)
    expect(env).toMatchObject({ METRICS_HOST: '0.0.0.0' })
    expect(ports.map(({ containerPort }) => containerPort)).toEqual([imagePort, Number(env?.['METRICS_PORT'])])
    const service = find(manifests, 'Service')
    for (const { targetPort } of service.spec?.['ports'] ?? [])
      expect(ports.map((port) => port.name)).toContain(targetPort)
    for (const selector of [service.spec?.['selector'], server?.owner.spec?.['selector'].matchLabels]) {
      expect(matches(server?.labels ?? {}, selector)).toBe(true)
      // A job must not receive requests.
      expect(others.filter(({ labels }) => matches(labels, selector))).toEqual([])
    }
    const policy = find(manifests, 'NetworkPolicy')
    for (const { labels } of listPods(manifests))
      expect(matches(labels, policy.spec?.['podSelector'].matchLabels)).toBe(true)
    const openPorts = policy.spec?.['ingress'].flatMap((rule: { ports: { port: string }[] }) => rule.ports)
    expect(openPorts.map(({ port }: { port: string }) => port)).toEqual(ports.map((port) => port.name))
  })

  test('lets pods connect to the pods of the cluster and to all addresses, except to the credentials of nodes', () => {
    const destinations = find(manifests, 'NetworkPolicy').spec?.['egress'].flatMap((rule: { to: unknown[] }) => rule.to)
    // A CIDR rule of Cilium matches no pods: without a selector, DNS and a database in the cluster are unreachable.
    expect(destinations).toEqual([
      { namespaceSelector: {} },
      { ipBlock: { cidr: '0.0.0.0/0', except: ['169.254.169.254/32'] } },
      { ipBlock: { cidr: '::/0', except: ['fd00:ec2::254/128'] } },
    ])
  })

  test('has probes at paths that the server has', () => {
    const paths: string[] = []
    const app = { get: (path: string) => paths.push(path) } as unknown as Parameters<typeof serveHealth>[0]
    serveHealth(app, { check: () => Promise.resolve([]) }, { version, commit: null, modified: null, schema: '' })
    const { container } = toPod(find(manifests, 'Deployment'))
    for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'])
      expect(paths).toContain(container[probe].httpGet.path)
  })

  test('stops requests before the server stops, and the server before Kubernetes kills it', () => {
    const { spec, container } = toPod(find(manifests, 'Deployment'))
    const env = readEnvironment(manifests, toPod(find(manifests, 'Deployment')))
    const delay = Number(env['SHUTDOWN_DELAY_SECONDS'])
    const { periodSeconds, failureThreshold, timeoutSeconds, httpGet } = container['readinessProbe']
    expect(httpGet).toEqual({ path: '/readyz', port: 'http' })
    // A single process has nothing to wait for.
    expect(delay).toBeGreaterThanOrEqual(name === 'platform' ? periodSeconds * failureThreshold : 0)
    expect(spec['terminationGracePeriodSeconds']).toBeGreaterThan(delay + 10)
    // The check of the database takes two seconds at most.
    expect(timeoutSeconds).toBeGreaterThan(2)
    // A database that cannot be reached is no reason to restart the server.
    for (const probe of ['startupProbe', 'livenessProbe'])
      expect(container[probe].httpGet).toEqual({ path: '/livez', port: 'http' })
  })

  test('is resolved here as kubectl resolves it', ({ skip }) => {
    const resolve = () => execFileSync('kubectl', ['kustomize', `deploy/kubernetes/${name}`], { encoding: 'utf8' })
    let text: string
    try {
      text = resolve()
    } catch (error) {
      if ((error as { code?: string }).code === 'ENOENT') return skip('kubectl is not installed')
      throw error
    }
    const withoutHash = text.replaceAll(/(patchbay-settings)-[a-z\d]{10}$/gm, '$1')
    const expected = parseAllDocuments(withoutHash).map((document) => document.toJS() as Manifest)
    const sort = (all: Manifest[]) => all.toSorted((one, other) => one.kind.localeCompare(other.kind, 'en'))
    expect(sort(manifests)).toEqual(sort(expected))
  })
})

describe('the installation standalone', () => {
  test('stops the old process before a new one opens the embedded database', () => {
    const manifests = read('standalone')
    const { spec } = find(manifests, 'Deployment')
    expect(spec).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } })
    const claim = find(manifests, 'PersistentVolumeClaim')
    expect(claim.spec?.['accessModes']).toEqual(['ReadWriteOncePod'])
    expect(spec?.['template'].spec.volumes).toEqual([
      { name: 'data', persistentVolumeClaim: { claimName: claim.metadata.name } },
    ])
    expect(readSettings(readEnvironment(manifests, toPod(find(manifests, 'Deployment'))), {}).database).toMatchObject({
      engine: 'sqlite',
    })
  })
})

describe('the installation platform', () => {
  const manifests = read('platform')
  const deployment = find(manifests, 'Deployment')
  const labels = toPod(deployment).labels

  test('keeps a process available, on several nodes', () => {
    expect(deployment.spec).toMatchObject({ replicas: 2, strategy: { rollingUpdate: { maxUnavailable: 0 } } })
    const budget = find(manifests, 'PodDisruptionBudget')
    expect(budget.spec?.['minAvailable']).toBeLessThan(deployment.spec?.['replicas'])
    const constraints = toPod(deployment).spec['topologySpreadConstraints']
    for (const { labelSelector } of [budget.spec?.['selector'], ...constraints].map((each) => ({
      labelSelector: each.labelSelector ?? each,
    })))
      expect(matches(labels, labelSelector.matchLabels)).toBe(true)
  })

  test('changes the schema by a job of this version, with the settings of the server', () => {
    const job = find(manifests, 'Job')
    expect(job.metadata.name).toBe(`patchbay-migrate-${version}`)
    const pod = toPod(job)
    expect(pod.container['args']).toEqual(['migrate'])
    expect(readEnvironment(manifests, toPod(deployment))).toMatchObject(readEnvironment(manifests, pod))
  })

  test('reads its secrets from one that the documentation creates', () => {
    const command = /create secret generic (\S+)([^`]*)```/.exec(
      readFileSync('docs/how-to/run-on-kubernetes.md', 'utf8'),
    )
    const keys = [...(command?.[2] ?? '').matchAll(/--from-file=(\S+)/g)].map(([, key]) => `${secretFolder}/${key}`)
    for (const pod of listPods(manifests)) {
      expect(pod.spec['volumes']).toContainEqual({
        name: 'secrets',
        secret: { secretName: command?.[1], defaultMode: 0o440 },
      })
      expect(pod.container['volumeMounts']).toContainEqual({ name: 'secrets', mountPath: secretFolder, readOnly: true })
    }
    expect(listSecretFiles(readEnvironment(manifests, toPod(deployment)))).toEqual(keys)
  })

  test('is scraped by Prometheus under the job name of the alerts', () => {
    const service = find(manifests, 'Service')
    const { spec } = find(manifests, 'ServiceMonitor')
    expect(matches(service.metadata.labels ?? {}, spec?.['selector'].matchLabels)).toBe(true)
    const ports = service.spec?.['ports'].map((port: { name: string }) => port.name)
    expect(spec?.['endpoints']).toEqual([{ port: 'metrics', path: '/metrics', interval: '30s' }])
    expect(ports).toContain('metrics')
    expect(readFileSync('deploy/prometheus/alerts.yaml', 'utf8')).toContain(`job="${service.metadata.name}"`)
  })
})
