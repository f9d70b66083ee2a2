export { Table } from "../table";
