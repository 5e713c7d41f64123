import { Plus, Trash2 } from 'lucide-react'
import { type ReactNode, use } from 'react'
import { type FieldArray, type FieldArrayPath, type FieldValues, useFieldArray } from 'react-hook-form'
import { Button } from '../ui/button.tsx'
import { ReadOnlyFields } from '../ui/fields/field-frame.tsx'
import { FieldGroup } from '../ui/fields/form-frame.tsx'
import { capitalize, type Nouns } from '../ui/format/text.ts'

interface RowFieldsProps<Values extends FieldValues, Name extends FieldArrayPath<Values>> {
  /** The member of the form with the rows. */
  name: Name
  nouns: Nouns
  newRow: FieldArray<Values, Name>
  max: number
  /** Says what it means that there are no rows. */
  emptyText: string
  /** The fields of a row. */
  children: (index: number) => ReactNode
}

/** Numbered groups of fields, one per row of a list in the form, with buttons to add and to remove rows. */
export const RowFields = <Values extends FieldValues, Name extends FieldArrayPath<Values>>({
  name,
  nouns: [one, many],
  newRow,
  max,
  emptyText,
  children,
}: RowFieldsProps<Values, Name>) => {
  const { fields, append, remove } = useFieldArray<Values, Name>({ name })
  const readOnly = use(ReadOnlyFields)
  return (
    <>
      {fields.length === 0 && <p className="note">{emptyText}</p>}
      {fields.map(({ id }, index) => (
        <FieldGroup key={id} legend={`${capitalize(one)} ${index + 1}`}>
          {children(index)}
          {!readOnly && (
            <div>
              <Button size="small" icon={<Trash2 size={14} aria-hidden="true" />} onClick={() => remove(index)}>
                Remove {one} {index + 1}
              </Button>
            </div>
          )}
        </FieldGroup>
      ))}
      {!readOnly && (
        <div>
          <Button
            size="small"
            icon={<Plus size={14} aria-hidden="true" />}
            disabledReason={fields.length >= max ? `At most ${max} ${many}.` : undefined}
            onClick={() => append(newRow)}
          >
            Add {one}
          </Button>
        </div>
      )}
    </>
  )
}
