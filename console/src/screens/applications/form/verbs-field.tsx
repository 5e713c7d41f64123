import { use, useEffect, useRef, useState } from 'react'
import { useController } from 'react-hook-form'
import { Button } from '../../../ui/button.tsx'
import { TextArea } from '../../../ui/fields/field.tsx'
import { FieldNotes, ReadOnlyFields } from '../../../ui/fields/field-frame.tsx'
import styles from './application-form.module.css'
import type { ApplicationValues } from './application-form.ts'
import type { createVerbEditor, VerbEditor } from './verb-editor.ts'

const label = 'Verbs'
const placeholder = 'an array of jambonz verbs to execute'

type Create = typeof createVerbEditor

/** Loads the editor. Returns undefined until it has loaded, or if loading fails; the plain text area is used then. */
const useEditor = (): Create | undefined => {
  const [create, setCreate] = useState<Create>()
  useEffect(() => {
    let isUnmounted = false
    const loadEditor = async () => {
      const { createVerbEditor: loaded } = await import('./verb-editor.ts')
      if (!isUnmounted) setCreate(() => loaded)
    }
    loadEditor().catch(() => {})
    return () => {
      isUnmounted = true
    }
  }, [])
  return create
}

interface EditorProps {
  create: Create
  stored: string
  value: string
  onChange: (text: string) => void
  onBlur: () => void
  error: string | undefined
}

/** Indents JSON by two spaces. Returns invalid JSON unchanged. */
const formatJson = (text: string): string => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

const Editor = ({ create, stored, value, onChange, onBlur, error }: EditorProps) => {
  const host = useRef<HTMLDivElement>(null)
  const editor = useRef<VerbEditor>(undefined)
  const latest = useRef({ value, onChange, onBlur })
  const [errors, setErrors] = useState<{ first: string | undefined; count: number }>()
  const isReadOnly = use(ReadOnlyFields)
  useEffect(() => {
    latest.current = { value, onChange, onBlur }
  })
  useEffect(() => {
    if (host.current === null) return undefined
    const verbEditor = create(host.current, {
      text: latest.current.value,
      stored,
      label,
      placeholder,
      onChange: (text) => latest.current.onChange(text),
      onBlur: () => latest.current.onBlur(),
      onDiagnostics: (first, count) => setErrors({ first, count }),
    })
    editor.current = verbEditor
    return () => verbEditor.destroy()
  }, [create, stored])
  useEffect(() => editor.current?.show(value), [value])
  useEffect(() => editor.current?.mark({ isInvalid: error !== undefined, isReadOnly }), [error, isReadOnly])
  const more = (errors?.count ?? 0) - 1
  return (
    <div className={styles['editor']}>
      <div className={styles['editorHead']}>
        <span>{label}</span>
        {!isReadOnly && (
          <Button size="small" variant="ghost" onClick={() => onChange(formatJson(value))}>
            Format
          </Button>
        )}
      </div>
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- it listens for the editor inside */}
      <div
        ref={host}
        // Events from the shadow root appear to come from this element, so the page would treat typing as keyboard
        // shortcuts.
        onKeyDown={(event) => {
          if (!event.ctrlKey && !event.metaKey) event.stopPropagation()
        }}
      />
      <output className={styles['told']}>
        {errors?.first && `${errors.first}${more > 0 ? ` (and ${more} more)` : ''}`}
      </output>
      <FieldNotes id="app_json" error={error} />
    </div>
  )
}

/** Field for the verbs that calls start with. */
export const VerbsField = () => {
  const { field, fieldState, formState } = useController<ApplicationValues, 'app_json'>({ name: 'app_json' })
  const create = useEditor()
  // The text area is not replaced by the editor while it has the focus.
  const [isFocused, setFocused] = useState(false)
  const error = fieldState.error?.message
  if (create && !isFocused)
    return (
      <Editor
        create={create}
        stored={formState.defaultValues?.app_json ?? ''}
        value={field.value}
        onChange={field.onChange}
        onBlur={field.onBlur}
        error={error}
      />
    )
  return (
    <TextArea
      {...field}
      label={label}
      mono
      required
      rows={8}
      spellCheck={false}
      autoComplete="off"
      placeholder={placeholder}
      error={error}
      onFocus={() => setFocused(true)}
      onBlur={() => {
        setFocused(false)
        field.onBlur()
      }}
    />
  )
}
