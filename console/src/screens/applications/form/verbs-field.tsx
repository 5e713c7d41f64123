import { use, useEffect, useRef, useState } from 'react'
import { useController } from 'react-hook-form'
import { Button } from '../../../ui/button.tsx'
import { FieldNotes, ReadOnlyFields } from '../../../ui/field-frame.tsx'
import { TextArea } from '../../../ui/field.tsx'
import type { ApplicationValues } from './application-form.ts'
import styles from './application-form.module.css'
import type { createVerbEditor, VerbEditor } from './verb-editor.ts'

const label = 'Verbs'
const placeholder = 'an array of jambonz verbs to execute'

type Create = typeof createVerbEditor

/** It comes when it is wanted; where it does not come, a plain text area stays. */
const useEditor = (): Create | undefined => {
  const [create, setCreate] = useState<Create>()
  useEffect(() => {
    let gone = false
    const bring = async () => {
      const { createVerbEditor: loaded } = await import('./verb-editor.ts')
      if (!gone) setCreate(() => loaded)
    }
    bring().catch(() => {})
    return () => {
      gone = true
    }
  }, [])
  return create
}

interface EditorProps {
  create: Create
  value: string
  onChange: (text: string) => void
  onBlur: () => void
  error: string | undefined
}

/** Two spaces a step; what is no JSON stays as it is. */
const formatted = (text: string): string => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

const Editor = ({ create, value, onChange, onBlur, error }: EditorProps) => {
  const host = useRef<HTMLDivElement>(null)
  const editor = useRef<VerbEditor>(undefined)
  const latest = useRef({ value, onChange, onBlur })
  const [faults, setFaults] = useState<{ first: string | undefined; count: number }>()
  const isReadOnly = use(ReadOnlyFields)
  useEffect(() => {
    latest.current = { value, onChange, onBlur }
  })
  useEffect(() => {
    if (host.current === null) return undefined
    const made = create(host.current, {
      text: latest.current.value,
      label,
      placeholder,
      onChange: (text) => latest.current.onChange(text),
      onBlur: () => latest.current.onBlur(),
      onFaults: (first, count) => setFaults({ first, count }),
    })
    editor.current = made
    return () => made.destroy()
  }, [create])
  useEffect(() => editor.current?.show(value), [value])
  useEffect(() => editor.current?.mark({ isInvalid: error !== undefined, isReadOnly }), [error, isReadOnly])
  const more = (faults?.count ?? 0) - 1
  return (
    <div className={styles['editor']}>
      <div className={styles['editorHead']}>
        <span>{label}</span>
        {!isReadOnly && (
          <Button size="small" variant="ghost" onClick={() => onChange(formatted(value))}>
            Format
          </Button>
        )}
      </div>
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- it listens for the editor inside */}
      <div
        ref={host}
        // What is typed is no key of the page, which sees this box and not the editor in its shadow.
        onKeyDown={(event) => {
          if (!event.ctrlKey && !event.metaKey) event.stopPropagation()
        }}
      />
      <output className={styles['told']}>
        {faults?.first && `${faults.first}${more > 0 ? ` (and ${more} more)` : ''}`}
      </output>
      <FieldNotes id="app_json" error={error} />
    </div>
  )
}

/** The verbs with which calls begin. */
export const VerbsField = () => {
  const { field, fieldState } = useController<ApplicationValues, 'app_json'>({ name: 'app_json' })
  const create = useEditor()
  // What is being typed into is not taken away.
  const [isUsed, setUsed] = useState(false)
  const error = fieldState.error?.message
  if (create && !isUsed)
    return <Editor create={create} value={field.value} onChange={field.onChange} onBlur={field.onBlur} error={error} />
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
      onFocus={() => setUsed(true)}
      onBlur={() => {
        setUsed(false)
        field.onBlur()
      }}
    />
  )
}
