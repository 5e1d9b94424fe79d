import type { ContactInput } from '../domain/contact.ts';

type Field = 'phone' | 'firstName' | 'lastName' | 'email';

// Of two columns that fit, the one whose name stands first here is taken; the other stays metadata.
const names: Record<Field, string[]> = {
  phone: [
    'phone',
    'phonenumber',
    'phoneno',
    'mobile',
    'mobilephone',
    'mobilenumber',
    'mobileno',
    'mobilephonenumber',
    'cell',
    'cellphone',
    'cellnumber',
    'cellphonenumber',
    'telephone',
    'telephonenumber',
    'tel',
    'telno',
    'telnumber',
    'primaryphone',
    'contactnumber',
    'msisdn',
  ],
  firstName: ['firstname', 'first', 'givenname', 'forename', 'fname'],
  lastName: ['lastname', 'last', 'surname', 'familyname', 'lname'],
  email: ['email', 'emailaddress', 'mail', 'primaryemail'],
};

export type Columns = {
  count: number;
  fields: { [F in Field]: number | undefined };
  /** Every other column under its own name. */
  metadata: { column: number; key: string }[];
};

export function matchColumns(header: string[]): Columns {
  const loose = header.map((name) => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, ''));
  const find = (field: Field) => {
    const name = names[field].find((candidate) => loose.includes(candidate));
    return name === undefined ? undefined : loose.indexOf(name);
  };
  const fields = {
    phone: find('phone'),
    firstName: find('firstName'),
    lastName: find('lastName'),
    email: find('email'),
  };
  const taken = new Set(Object.values(fields));
  const seen = new Map<string, number>();
  const metadata = header.flatMap((name, column) => {
    if (taken.has(column)) return [];
    const plain = name || `column ${column + 1}`;
    const times = (seen.get(plain) ?? 0) + 1;
    seen.set(plain, times);
    return [{ column, key: times === 1 ? plain : `${plain} (${times})` }];
  });
  return { count: header.length, fields, metadata };
}

/** The contact that a row describes, its phone as written. Empty cells are left out: an update keeps the old value. */
export function toContact({ fields, metadata }: Columns, cells: string[]): ContactInput {
  const given = (column: number | undefined) => (column === undefined ? undefined : cells[column] || undefined);
  const pairs = metadata.flatMap(({ column, key }) => {
    const value = given(column);
    return value === undefined ? [] : [[key, value] as const];
  });
  return {
    phone: given(fields.phone) ?? '',
    firstName: given(fields.firstName),
    lastName: given(fields.lastName),
    email: given(fields.email),
    ...(pairs.length > 0 && { contactMetadata: Object.fromEntries(pairs) }),
  };
}
