import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { ignoreMissingFile } from '../lib/error-code.ts'

/** The files of the data folder that backups contain besides the database, and the folder from which they are restored. */

export const recordingsFolder = 'recordings'
export const secretsName = 'secrets.json'

/** The staging folder of a restore, below the data folder, and the SQLite file in it. */
export const stagingFolder = 'restore.partial'
export const stagedDatabase = 'patchbay.sqlite'

/** The folder of recordings in progress, which are not part of a backup. */
const unfinishedFolder = `${recordingsFolder}/unfinished`

/**
 * Each part begins with a letter or digit, so that no path can lead out of the folder. Directly in the folder there are only
 * folders: a file in the place of one would prevent the start.
 */
const recordingName = /^recordings(?:\/[A-Za-z\d][\w.-]{0,99}){2,6}$/

/** Returns whether a backup can contain a file with this path, relative to the data folder. */
export const isRecordingName = (name: string): boolean =>
  recordingName.test(name) && !name.startsWith(`${unfinishedFolder}/`)

/** Returns the paths of all recordings, relative to the data folder, one folder at a time. */
export async function* listRecordings(dataDir: string, folder = recordingsFolder): AsyncGenerator<string> {
  const entries = (await readdir(join(dataDir, folder), { withFileTypes: true }).catch(ignoreMissingFile)) ?? []
  for (const entry of entries) {
    const name = `${folder}/${entry.name}`
    if (entry.isDirectory() && name !== unfinishedFolder) yield* listRecordings(dataDir, name)
    else if (entry.isFile() && isRecordingName(name)) yield name
  }
}
