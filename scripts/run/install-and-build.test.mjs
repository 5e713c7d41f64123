import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { repositoryRoot } from './ensure-node.mjs'
import { buildIfNeeded, installIfNeeded, needsBuild, needsInstall } from './install-and-build.mjs'
import { readSourceCommit, writeSourceCommit } from './source-commit.mjs'

let root

function write(path, text = '') {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

const npmCi = async () => mkdirSync(join(root, 'node_modules'), { recursive: true })

const fullBuild = async () => {
  write('server/dist/main.mjs')
  write('console/dist/index.html')
}

const npmFails = async () => {
  throw new Error('npm failed')
}

beforeEach(() => {
  vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  root = mkdtempSync(join(tmpdir(), 'patchbay-start-'))
  write('package-lock.json', '{}')
  write('server/src/main.ts', 'listen()')
})

afterEach(() => {
  vi.restoreAllMocks()
  rmSync(root, { recursive: true })
})

describe('install', () => {
  test('runs once, and again after a change of the lock file', async () => {
    expect(await installIfNeeded(root, 'all', npmCi)).toBe(true)
    expect(await installIfNeeded(root, 'all', npmCi)).toBe(false)
    write('package-lock.json', '{"changed":true}')
    expect(await installIfNeeded(root, 'all', npmCi)).toBe(true)
  })

  test('runs again if node_modules is missing', async () => {
    await installIfNeeded(root, 'all', npmCi)
    rmSync(join(root, 'node_modules'), { recursive: true })
    expect(needsInstall(root, 'all')).toBe(true)
  })

  test('runs again for the tests after an installation for running only, but not the reverse', async () => {
    const installFlags = []
    const install = async (_, flags) => {
      installFlags.push(flags.join(' '))
      await npmCi()
    }
    expect(await installIfNeeded(root, 'running', install)).toBe(true)
    expect(await installIfNeeded(root, 'running', install)).toBe(false)
    expect(await installIfNeeded(root, 'all', install)).toBe(true)
    expect(await installIfNeeded(root, 'running', install)).toBe(false)
    write('package-lock.json', '{"changed":true}')
    expect(await installIfNeeded(root, 'all', install)).toBe(true)
    // Only the second run keeps what is installed.
    expect(installFlags).toEqual([
      expect.stringMatching(/^ci --omit=dev/),
      'install --no-save --include=dev',
      'ci --include=dev',
    ])
  })

  test('reports the progress in one line', async () => {
    await installIfNeeded(root, 'all', npmCi)
    await expect(installIfNeeded(root, 'all', npmFails)).resolves.toBe(false)
    write('package-lock.json', '{"changed":true}')
    await expect(installIfNeeded(root, 'all', npmFails)).rejects.toThrow('npm failed')
    const output = vi
      .mocked(process.stderr.write)
      .mock.calls.map(([text]) => text)
      .join('')
    expect(output).toMatch(
      /^\r?Installing dependencies… .*done after 0 s\n\r?Installing dependencies… .*failed after 0 s\n$/s,
    )
  })

  test('runs again after a failure, even if an earlier run succeeded', async () => {
    await installIfNeeded(root, 'all', npmCi)
    write('package-lock.json', '{"changed":true}')
    await expect(installIfNeeded(root, 'all', npmFails)).rejects.toThrow('npm failed')
    write('package-lock.json', '{}')
    expect(needsInstall(root, 'all')).toBe(true)
  })
})

describe('build', () => {
  test('runs once, and not again on a warm start', async () => {
    expect(await buildIfNeeded(root, fullBuild)).toBe(true)
    expect(await buildIfNeeded(root, fullBuild)).toBe(false)
  })

  test.each([
    ['a source is edited', () => write('server/src/main.ts', 'listen(3000)')],
    ['a source is touched', () => utimesSync(join(root, 'server/src/main.ts'), 1, 1)],
    ['a source is added', () => write('contract/src/shared/new.ts')],
    ['a source is removed', () => rmSync(join(root, 'server/src/main.ts'))],
    ['the lock file changes', () => write('package-lock.json', '{"changed":true}')],
    ['the console build is gone', () => rmSync(join(root, 'console/dist'), { recursive: true })],
  ])('runs again when %s', async (_, change) => {
    await buildIfNeeded(root, fullBuild)
    change()
    expect(needsBuild(root)).toBe(true)
  })

  test('runs again if a file was saved during the build', async () => {
    await buildIfNeeded(root, async () => {
      await fullBuild()
      write('server/src/main.ts', 'saved meanwhile')
    })
    expect(needsBuild(root)).toBe(true)
  })

  test('runs again after a failure', async () => {
    await expect(buildIfNeeded(root, npmFails)).rejects.toThrow('npm failed')
    expect(needsBuild(root)).toBe(true)
  })

  test('fails if the build leaves nothing to run', async () => {
    await expect(buildIfNeeded(root, async () => {})).rejects.toThrow('server/dist/main.mjs')
    expect(existsSync(join(root, 'server/dist/.built'))).toBe(false)
  })
})

describe('the commit of the build', () => {
  const git = (...args) =>
    execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.org', ...args], {
      cwd: root,
      encoding: 'utf8',
    }).trim()
  const readCommit = (folder = root) => JSON.parse(readFileSync(join(folder, 'server/dist/commit.json'), 'utf8'))
  const archiveFile = 'scripts/run/archive-commit.json'
  const unknown = { commit: null, modified: null }

  test('is written beside the server, also after a commit that changes no sources', async () => {
    write('.gitignore', 'dist\n')
    git('init', '--quiet')
    git('add', '--all')
    git('commit', '--quiet', '--message', 'first')
    await buildIfNeeded(root, fullBuild)
    expect(readCommit()).toEqual({ commit: git('rev-parse', 'HEAD'), modified: false })
    git('commit', '--quiet', '--allow-empty', '--message', 'second')
    expect(await buildIfNeeded(root, fullBuild)).toBe(false)
    expect(readCommit()).toEqual({ commit: git('rev-parse', 'HEAD'), modified: false })
    rmSync(join(root, '.git'), { recursive: true })
    await buildIfNeeded(root, fullBuild)
    expect(readCommit()).toEqual(unknown)
  })

  test('says whether sources were changed or added, and ignores other files', async () => {
    write('.gitignore', 'dist\n')
    git('init', '--quiet')
    git('add', '--all')
    git('commit', '--quiet', '--message', 'first')
    const isModified = async () => {
      await buildIfNeeded(root, fullBuild)
      return readCommit().modified
    }
    write('backups/monday.backup', 'data of the operator')
    expect(await isModified()).toBe(false)
    write('console/public/new.svg', 'new')
    expect(await isModified()).toBe(true)
    git('add', '--all')
    git('commit', '--quiet', '--message', 'second')
    expect(await isModified()).toBe(false)
    write('package-lock.json', '{"changed":true}')
    expect(await isModified()).toBe(true)
  })

  test('is the one that git archive writes into the sources, whose changes are unknown', async () => {
    for (const file of [archiveFile, '.gitattributes']) write(file, readFileSync(join(repositoryRoot, file), 'utf8'))
    await buildIfNeeded(root, fullBuild)
    expect(readCommit()).toEqual(unknown)
    git('init', '--quiet')
    git('add', '--all')
    git('commit', '--quiet', '--message', 'first')
    const commit = git('rev-parse', 'HEAD')
    const time = Number(git('log', '-1', '--format=%ct'))
    const exported = execFileSync('git', ['archive', 'HEAD', archiveFile], { cwd: root })
    rmSync(join(root, '.git'), { recursive: true })
    execFileSync('tar', ['-x', '-C', root], { input: exported })
    await buildIfNeeded(root, fullBuild)
    expect(readCommit()).toEqual({ commit, modified: null })
    writeSourceCommit(root, { commit, time, modified: false })
    expect(readSourceCommit(root)).toEqual({ commit, time, modified: false })
  })

  test('is not that of another project whose checkout contains the folder', async () => {
    git('init', '--quiet')
    git('commit', '--quiet', '--allow-empty', '--message', 'first')
    const folder = join(root, 'unpacked')
    const build = async () => {
      write('unpacked/server/dist/main.mjs')
      write('unpacked/console/dist/index.html')
    }
    write('unpacked/package-lock.json', '{}')
    await buildIfNeeded(folder, build)
    expect(readCommit(folder)).toEqual(unknown)
  })
})
