import { existsSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { targetNames } from '../fuzz/targets/index.ts'
import { repositoryRoot } from './ensure-node.mjs'
import { programs } from './programs.mjs'
import { releasePrograms } from './test-release.mjs'

const read = (path) => readFileSync(join(repositoryRoot, path), 'utf8')
const { on, jobs } = parse(read('.github/workflows/ci.yml'))
const listSteps = (job) => jobs[job].steps.map(({ run, uses }) => run ?? uses)

test('tests every push and pull request, and every night and each tag also the release', () => {
  expect(on).toEqual({
    push: { branches: ['main'], tags: ['v*'] },
    pull_request: null,
    schedule: [{ cron: expect.stringMatching(/^\d+ \d+ \* \* \*$/) }],
  })
  expect(jobs.test.if).toBeUndefined()
  expect(listSteps('test')).toContain('npm test')
  expect(jobs.release).toMatchObject({
    if: "github.event_name == 'schedule' || startsWith(github.ref, 'refs/tags/')",
    needs: 'test',
  })
  expect(listSteps('release')).toContain('npm run test:release')
  expect(listSteps('release')).toContainEqual(expect.stringMatching(/^npm run bench:fuzz -- sqlite mariadb /))
})

test('installs every program without which tests of a release are skipped', () => {
  const [install = ''] = listSteps('release')
  const packages = releasePrograms.map((key) => programs[key].debian)
  expect(packages.filter((name) => !install.split(/\s+/).includes(name))).toEqual([])
})

test('installs the library of Node.js that the container image of the jobs lacks', () => {
  const loaded = process.report.getReport().sharedObjects.map((file) => basename(file))
  expect(loaded).toContain('libatomic.so.1')
  for (const job of ['test', 'release']) expect(listSteps(job)[0].split(/\s+/)).toContain('libatomic1')
})

test('compares the versions of Node.js with its security releases every night and for each tag', () => {
  const step = jobs.test.steps.find(({ run }) => run === 'node scripts/check-node-security.mjs')
  expect(step?.if).toBe("github.event_name == 'schedule' || startsWith(github.ref, 'refs/tags/')")
})

test('fuzzes every target for 20 minutes every night, and keeps inputs that fail', () => {
  const { if: condition, strategy, steps } = jobs.fuzz
  expect(condition).toBe("github.event_name == 'schedule'")
  expect(strategy).toEqual({ 'fail-fast': false, matrix: { target: targetNames } })
  expect(listSteps('fuzz')).toContain('npm run fuzz -- ${{ matrix.target }} --seconds 1200')
  expect(steps.at(-1)).toMatchObject({ if: 'failure()', with: { path: 'test-results/fuzz' } })
})

test('refers to actions of this repository that exist', () => {
  const local = Object.keys(jobs).flatMap((job) => listSteps(job).filter((step) => step.startsWith('./')))
  expect(local).not.toEqual([])
  for (const path of local) expect([path, existsSync(join(repositoryRoot, path, 'action.yml'))]).toEqual([path, true])
})
