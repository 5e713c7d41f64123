import type { ColumnType } from 'kysely'

/**
 * The words in which table definitions are written. One definition gives the DDL of both engines, what adoption of
 * an existing database checks, and the row types of Kysely.
 */

type Kind =
  | { is: 'sid' }
  /** `exact`: compared byte by byte on both engines; else case-insensitively, as MySQL's default collation does */
  | { is: 'text'; max: number; exact: boolean }
  | { is: 'longText' }
  | { is: 'bytes' }
  | { is: 'flag' }
  | { is: 'integer' }
  | { is: 'bigInteger' }
  | { is: 'real' }
  | { is: 'oneOf'; values: readonly string[] }
  | { is: 'dateTime' }
  | { is: 'timestamp' }

export interface Column<Select = unknown, Insert = unknown> {
  readonly kind: Kind
  readonly nullable: boolean
  readonly default?: string | number
  /** platform installations exist that lack it */
  readonly optional: boolean
  /** the parent table, by its primary key */
  readonly references?: { table: string; cascade: boolean }
  readonly primary: boolean
  readonly unique: boolean
  /** carries types only */
  readonly types?: ColumnType<Select, Insert, Insert>
}

const column = <T>(kind: Kind): Column<T, T> => ({
  kind,
  nullable: false,
  optional: false,
  primary: false,
  unique: false,
})

export const sid = () => column<string>({ is: 'sid' })
export const text = (max: number) => column<string>({ is: 'text', max, exact: false })
export const exactText = (max: number) => column<string>({ is: 'text', max, exact: true })
export const longText = () => column<string>({ is: 'longText' })
/** Up to 16 MB. */
export const bytes = () => column<Uint8Array>({ is: 'bytes' })
export const flag = () => column<0 | 1>({ is: 'flag' })
export const integer = () => column<number>({ is: 'integer' })
export const bigInteger = () => column<number>({ is: 'bigInteger' })
export const real = () => column<number>({ is: 'real' })
export const enumColumn = <const V extends string>(...values: V[]) => column<V>({ is: 'oneOf', values })
/** Read as ISO 8601 UTC text with milliseconds on both engines. */
export const dateTime = () => column<string>({ is: 'dateTime' })
export const timestamp = () => column<string>({ is: 'timestamp' })

/** The default of a date column: the moment of the insert. */
export const now = 'now'

export const orNull = <S, I>(of: Column<S, I>): Column<S | null, I | null | undefined> => ({ ...of, nullable: true })
export const withDefault = <S, I>(
  of: Column<S, I>,
  value: (I & (string | number)) | typeof now,
): Column<S, I | undefined> => ({
  ...of,
  default: value,
})
export const primary = <S, I>(of: Column<S, I>): Column<S, I> => ({ ...of, primary: true })
export const unique = <S, I>(of: Column<S, I>): Column<S, I> => ({ ...of, unique: true })
export const optional = <S, I>(of: Column<S, I>): Column<S, I> => ({ ...of, optional: true })
export const references = <S, I>(of: Column<S, I>, parent: string, on = { cascade: false }): Column<S, I> => ({
  ...of,
  references: { table: parent, cascade: on.cascade },
})

export type Columns = Readonly<Record<string, Column>>

export interface Table<C extends Columns = Columns> {
  readonly columns: C
  /** column lists; a leading `unique` makes the index unique */
  readonly indexes: readonly { unique: boolean; on: readonly string[] }[]
  /** platform installations exist that lack the whole table */
  readonly optional: boolean
}

export const table = <const C extends Columns>(
  columns: C,
  more: { indexes?: readonly { unique?: boolean; on: readonly (keyof C & string)[] }[]; optional?: boolean } = {},
): Table<C> => ({
  columns,
  indexes: (more.indexes ?? []).map(({ unique: isUnique = false, on }) => ({ unique: isUnique, on })),
  optional: more.optional ?? false,
})

type OptionalKeys<C extends Columns> = {
  [K in keyof C]: C[K] extends Column<infer _S, infer I> ? (undefined extends I ? K : never) : never
}[keyof C]

/** The Kysely row of a table definition. */
export type TableRow<T> =
  T extends Table<infer C>
    ? {
        [K in keyof C]: C[K] extends Column<infer S, infer I>
          ? ColumnType<S, I, K extends OptionalKeys<C> ? Exclude<I, undefined> | undefined : I>
          : never
      }
    : never
