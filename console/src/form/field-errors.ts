interface Issue {
  path: readonly PropertyKey[]
  message: string
}

interface FormSchema {
  safeParse(values: unknown): { error?: { issues: readonly Issue[] } | undefined }
}

/** Returns the error messages of a form schema by field path, for the tests of forms. Empty if the values are valid. */
export const getFieldErrors = (schema: FormSchema, values: object): Record<string, string> =>
  Object.fromEntries(
    (schema.safeParse(values).error?.issues ?? []).map(({ path, message }) => [path.map(String).join('.'), message]),
  )
