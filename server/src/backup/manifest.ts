import { z } from 'zod'
import { BackupError, DamagedBackupError } from './backup-error.ts'

/** The first and the last description in a backup (docs/reference/backup-format.md). */

/**
 * Increased if a program of an older version cannot read the format. Format 2 differs from format 1 by its encryption, and
 * in nothing else.
 */
export const formatVersion = 2

const name = z.string().regex(/^\w{1,64}$/)

const header = z.strictObject({
  format: z.literal([1, formatVersion]),
  /** Version of Patchbay. */
  program: z.string(),
  /** Commit of Patchbay, and whether its sources differed from it. Older backups lack both. */
  commit: z.string().nullable().optional(),
  modified: z.boolean().nullable().optional(),
  engine: z.enum(['sqlite', 'mysql']),
  createdAt: z.iso.datetime(),
  /** Whether the tables of jambonz existed before Patchbay. */
  isAdopted: z.boolean(),
  /** The names of the executed migrations, in order. */
  migrations: z.array(z.string()),
  /** Tables and columns, in the order in which the values of each row follow. */
  tables: z.array(z.strictObject({ name, columns: z.array(name).min(1) })),
  /** Tables, and columns as table.column, of the database that Patchbay does not know. The backup lacks them. */
  leftOut: z.array(z.string()),
})

export type BackupHeader = z.infer<typeof header>

const sha256 = z.string().regex(/^[\da-f]{64}$/)
const count = z.number().int().min(0)

const manifest = z.strictObject({
  /** SHA-256 of the uncompressed lines of each table. */
  tables: z.array(z.strictObject({ name, parts: count, rows: count, sha256 })),
  /** SHA-256 of the contents of all recordings, one after another. */
  recordings: z.strictObject({ files: count, bytes: count, sha256 }),
  hasSecrets: z.boolean(),
})

export type BackupManifest = z.infer<typeof manifest>

const parseJson = (text: string, what: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new DamagedBackupError(`${what} is not JSON`, { cause: error })
  }
}

const parse = <T>(schema: z.ZodType<T>, value: unknown, what: string): T => {
  const result = schema.safeParse(value)
  if (!result.success) throw new DamagedBackupError(`${what} is invalid`, { cause: result.error })
  return result.data
}

const versioned = z.object({ format: z.number().int(), program: z.string() })

/**
 * Parses `header.json`.
 * @throws BackupError if the format is newer than this program
 * @throws DamagedBackupError for other content
 */
export const parseHeader = (text: string): BackupHeader => {
  const value = parseJson(text, 'header.json')
  const { format, program } = parse(versioned, value, 'header.json')
  if (format > formatVersion)
    throw new BackupError(
      `The backup has format ${format}, and this program reads formats up to ${formatVersion}. Use Patchbay ${program} or newer.`,
    )
  return parse(header, value, 'header.json')
}

/** Parses `manifest.json`. Throws a DamagedBackupError for other content. */
export const parseManifest = (text: string): BackupManifest =>
  parse(manifest, parseJson(text, 'manifest.json'), 'manifest.json')
