const states =
  "AL Alabama,AK Alaska,AZ Arizona,AR Arkansas,CA California,CO Colorado,CT Connecticut,DE Delaware," +
  "DC District of Columbia,FL Florida,GA Georgia,HI Hawaii,ID Idaho,IL Illinois,IN Indiana,IA Iowa," +
  "KS Kansas,KY Kentucky,LA Louisiana,ME Maine,MD Maryland,MA Massachusetts,MI Michigan,MN Minnesota," +
  "MS Mississippi,MO Missouri,MT Montana,NE Nebraska,NV Nevada,NH New Hampshire,NJ New Jersey," +
  "NM New Mexico,NY New York,NC North Carolina,ND North Dakota,OH Ohio,OK Oklahoma,OR Oregon," +
  "PA Pennsylvania,RI Rhode Island,SC South Carolina,SD South Dakota,TN Tennessee,TX Texas,UT Utah," +
  "VT Vermont,VA Virginia,WA Washington,WV West Virginia,WI Wisconsin,WY Wyoming";

const codes: ReadonlyMap<string, string> = new Map(
  states.split(",").flatMap((one) => {
    const [code, name] = [one.slice(0, 2), one.slice(3)];
    return [
      [code.toLowerCase(), code],
      [name.toLowerCase(), code],
    ] as const;
  }),
);

/** `TX` for `tx` and `Texas`; undefined: not a state. */
export const stateCodeOf = (text: string): string | undefined =>
  codes.get(text.trim().toLowerCase().replaceAll(".", ""));
