import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { repositoryRoot } from '../run/ensure-node.mjs'

const read = (path) => readFileSync(join(repositoryRoot, path), 'utf8')
const { on, permissions, jobs } = parse(read('.github/workflows/release.yml'))
const listSteps = (...names) => names.flatMap((name) => jobs[name].steps)
const listCommands = (...names) => listSteps(...names).flatMap(({ run }) => run ?? [])

test('runs for tags of versions only', () => {
  expect(on).toEqual({ push: { tags: ['v*'] } })
})

test('gives the job that runs our code and its packages no permission to change anything', () => {
  expect(permissions).toEqual({})
  expect(jobs.build.permissions).toEqual({ contents: 'read' })
  expect(jobs.publish).toMatchObject({
    needs: 'build',
    permissions: { contents: 'write', packages: 'write', 'id-token': 'write', attestations: 'write' },
  })
  expect(Object.keys(jobs.publish.permissions)).toHaveLength(4)
  expect(listSteps('build')[0]).toMatchObject({ with: { 'persist-credentials': false } })
  expect(listCommands('publish').join('\n')).not.toMatch(/\b(?:node|npm|npx)\b/)
  expect(listSteps('publish').map(({ uses }) => uses ?? '')).not.toContainEqual(expect.stringContaining('checkout'))
})

test('runs scripts that exist, with arguments that they accept, in shells that can parse them', () => {
  const commands = listCommands('build', 'publish').join('\n')
  const { scripts } = JSON.parse(read('package.json'))
  const names = [...commands.matchAll(/npm run (\S+)(.*)/g)].map(([, name, rest]) => [name, rest])
  expect(names).toEqual([
    ['release', ''],
    ['release:image', ''],
  ])
  for (const [name] of names) expect(scripts).toHaveProperty([name])
  const files = [...commands.matchAll(/\bnode (\S+) (\S+)/g)].map(([, file, argument]) => [file, argument])
  expect(files).not.toEqual([])
  for (const [file, argument] of files) {
    expect([file, existsSync(join(repositoryRoot, file))]).toEqual([file, true])
    const expected = {
      'scripts/release-notes.mjs': '"$GITHUB_REF_NAME"',
      'scripts/release/normalize-image.mjs': 'dist/container',
    }
    expect(argument.replace(/\).*$/, '')).toBe(expected[file])
  }
  for (const run of listCommands('build', 'publish')) execFileSync('bash', ['-n', '-c', run])
  // An expression in a script would be executed as code.
  expect(commands).not.toContain('${{')
})

test('checks the version before it builds, and compares two builds', () => {
  const [check, first, second] = listCommands('build')
  expect(check).toBe('node scripts/release-notes.mjs "$GITHUB_REF_NAME"')
  expect([first, second]).toEqual([
    'npm run release\ncp dist/SHA256SUMS "$RUNNER_TEMP/first"\n',
    'npm run release:image\ndiff "$RUNNER_TEMP/first" dist/SHA256SUMS\n',
  ])
})

test('builds the image for both platforms with the time of the commit, from arguments of the Containerfile', () => {
  const build = listCommands('build').find((run) => run.includes('buildah build'))
  expect(build).toContain('--format docker --timestamp "$(git log -1 --format=%ct)" --platform linux/amd64,linux/arm64')
  const args = [...build.matchAll(/--build-arg "(\w+)=/g)].map(([, name]) => name)
  expect(args).toEqual(['BASE', 'LIBRARIES'])
  for (const name of args) expect(read('deploy/Containerfile')).toMatch(new RegExp(`^ARG ${name}=\\S+:\\S+$`, 'm'))
})

test('publishes what it has built, with checksums, signatures, and provenance', () => {
  const { path } = listSteps('build').at(-1).with
  const uploaded = path.trim().replaceAll('dist/', '').split('\n')
  const create = listCommands('publish').at(-1)
  const published = create.split('NOTES.md ')[1].split(' ')
  expect(published).toEqual([
    ...uploaded.filter((file) => !/^(?:NOTES\.md|container)$/.test(file)),
    'SHA256SUMS.bundle',
  ])
  const [, sign] = listCommands('publish')
  expect(sign).toBe('cosign sign --yes "$IMAGE"\ncosign sign-blob --yes --bundle SHA256SUMS.bundle SHA256SUMS\n')
  const image = '${{ steps.image.outputs.name }}'
  const digest = '${{ steps.image.outputs.digest }}'
  expect(listSteps('publish').flatMap(({ uses, with: inputs }) => (uses?.includes('attest') ? [inputs] : []))).toEqual([
    { 'subject-checksums': 'SHA256SUMS' },
    { 'subject-name': image, 'subject-digest': digest, 'push-to-registry': true },
  ])
  expect(listSteps('publish').find(({ env }) => env?.IMAGE)?.env.IMAGE).toBe(`${image}@${digest}`)
})
