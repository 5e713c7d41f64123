import { Plus, Trash2 } from 'lucide-react'
import { type ReactNode, use } from 'react'
import { type FieldArray, type FieldArrayPath, type FieldValues, useFieldArray } from 'react-hook-form'
import { Button } from '../ui/button.tsx'
import { ReadOnlyFields } from '../ui/fields/field-frame.tsx'
import { FieldGroup } from '../ui/fields/form-frame.tsx'

interface RowFieldsProps<Values extends FieldValues, Name extends FieldArrayPath<Values>> {
  /** The member of the form with the rows. */
  name: Name
  /** Names a row, such as `Pattern`. */
  noun: string
  newRow: FieldArray<Values, Name>
  max: number
  /** Why no more rows can be added, if there are `max`. */
  fullReason: string
  /** Says what it means that there are no rows. */
  emptyText: string
  /** The fields of a row. */
  children: (index: number) => ReactNode
}

/** Numbered groups of fields, one per row of a list in the form, with buttons to add and to remove rows. */
export const RowFields = <Values extends FieldValues, Name extends FieldArrayPath<Values>>({
  name,
  noun,
  newRow,
  max,
  fullReason,
  emptyText,
  children,
}: RowFieldsProps<Values, Name>) => {
  const { fields, append, remove } = useFieldArray<Values, Name>({ name })
  const readOnly = use(ReadOnlyFields)
  return (
    <>
      {fields.length === 0 && <p className="note">{emptyText}</p>}
      {fields.map(({ id }, index) => (
        <FieldGroup key={id} legend={`${noun} ${index + 1}`}>
          {children(index)}
          {!readOnly && (
            <div>
              <Button size="small" icon={<Trash2 size={14} aria-hidden="true" />} onClick={() => remove(index)}>
                Remove {noun.toLowerCase()} {index + 1}
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
            disabledReason={fields.length >= max ? fullReason : undefined}
            onClick={() => append(newRow)}
          >
            Add {noun.toLowerCase()}
          </Button>
        </div>
      )}
    </>
  )
}
